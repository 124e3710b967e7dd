package audit

import "strings"

// Word lists of the checks. They are small on purpose: each entry changes what is
// refused, and the tests of honest variation say when one is missing.

func stopWord(w, lang string) bool { return stops["meta"][w] || stops[lang][w] }

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var stops = map[string]map[string]bool{
	// Words with which a claim speaks about its source; they say nothing about the subject.
	"meta": set(`study studies paper papers article author authors researcher researchers text passage document
		report reports reported reporting find finds found show shows showed shown state states stated describe describes
		described say says said mention mentions mentioned note notes noted according work present presents presented
		etc eg ie vs fig figure table section sentence et al we i our ours us my me`),
	"en": set(`a an the this that these those it its they them their theirs he she his her him you your who whom whose
		which what when where why how there here of in on at by to from with without within into onto over under above
		below between among through during before after about against for as if then than so such and or but nor not no
		yes is are was were be been being am do does did done doing have has had having can could may might must shall
		should will would ought up down out off again further once also both each few some any other another same own
		very too just even still yet however thus hence while although though because since until unless whether either
		neither per via upon it's don't doesn't isn't aren't wasn't weren't more most less least only all every
		one ones two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
		eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands
		million millions billion billions dozen half use uses used using make makes made`),
	"de": set(`der die das den dem des ein eine einer eines einem einen und oder aber nicht kein keine keiner ist sind
		war waren wird werden wurde wurden worden sein hat haben hatte hatten kann können konnte muss müssen soll sollen
		mit von vom zu zum zur in im ins an am auf aus bei für über unter nach vor durch um gegen ohne zwischen bis als
		wie wenn weil dass daß ob so es er sie wir ihr ihre ihrer ihren sich auch noch nur schon sehr mehr dieser diese
		dieses diesem diesen jener jede jeder jedes alle man dort hier da dann also etwa zwei drei vier fünf sechs sieben
		acht neun zehn elf zwölf hundert tausend studie autoren laut`),
	"fr": set(`le la les l un une des du de d et ou mais ne pas non est sont était étaient être été a ont avait avaient
		avoir peut peuvent doit dans en sur sous par pour avec sans entre vers chez au aux ce cet cette ces se sa son ses
		leur leurs il elle ils elles on nous vous qui que quoi dont où si comme plus moins très aussi ainsi donc car deux
		trois quatre cinq six sept huit neuf dix onze douze cent mille étude auteurs`),
	"es": set(`el la los las un una unos unas de del y o u pero no ni es son era eran ser sido fue fueron ha han había
		haber puede pueden debe en con por para sin sobre entre desde hasta a al que quien cual cuyo donde como si se su
		sus le les lo este esta estos estas ese esa más menos muy también así dos tres cuatro cinco seis siete ocho nueve
		diez once doce cien mil estudio autores`),
}

// synonyms: one class a line, as English stems' words; a claim may use any word of
// the class of a word in its quote. Nothing that changes strength or direction
// stands here.
var synonyms = func() map[string]string {
	m := map[string]string{}
	for _, line := range strings.Split(`dataset data corpus sample collection collected gathered
label labels labelled labeled annotated annotation annotators tagged coded
tweet tweets post posts message messages
account accounts user users profile
classifier model system detector
method approach technique
reach reaches achieve achieves obtain obtains attain attained
large big huge size
contain contains include includes comprise comprises consist consists hold holds
human person people persons individual individuals participants
fake false non-factual nonfactual
legitimate genuine
training train trained
performance result results
best highest top
repeat repeated replicate replicated copied copy duplicate duplicated oversampled oversampling
bullying cyberbullying
publish published release released
free freely open openly
trust trustworthy reliable credible
wrong incorrect error errors mistaken
begin start started began
end finish ended finished
buy purchase bought purchased
help assist helped
choose select chosen selected selection
test evaluate evaluated tested evaluation experiments experiment
doctor physician clinician
medicine drug medication
child children kids
city town
illness disease
car vehicle`, "\n") {
		ws := strings.Fields(line)
		for _, w := range ws {
			m[stem(w, "en")] = ws[0]
		}
	}
	return m
}()

func synonym(stem string) string { return synonyms[stem] }

// strong are the words that make a claim stronger, wider or causal. A claim that
// uses one needs a word of the same class in what it rests on.
var strong = func() map[string]string {
	m := map[string]string{}
	for _, line := range strings.Split(`more: more higher greater larger bigger better increase increases increased increasing rise rises rose grow grew grown improve improves improved improvement outperform outperforms outperformed exceed exceeds exceeded superior gain gains above stronger faster longer older raise raised over extra additional mehr größer höher besser plus más mejor mayor
less: less fewer lower smaller worse decrease decreases decreased decreasing drop drops dropped fall falls fell decline declines declined reduce reduces reduced reduction reducing inferior below weaker slower shorter younger loss under weniger kleiner niedriger moins menos menor
most: most best highest largest biggest greatest majority top maximum mostly strongest mainly primarily mainly first leading outperforms outperformed outperform meist meisten plupart mayoría
least: least worst lowest smallest fewest minimum weakest
cause: because given as cause causes caused causing lead leads led due result results resulting resulted therefore thus hence consequently owing thanks since so make makes made explain explains explained effect effects affect affects affected influence influences influenced impact improve improves improved improvement reduce reduces reduced reduction increase increases increased prevent prevents prevented reason reasons why weil verursacht führt dadurch cause causa porque
all: all every each always entire whole everyone everything any throughout alle jede immer tous todos toujours siempre
never: never none no not without neither nobody nothing nie kein jamais nunca
significant: significant significantly signifikant
prove: prove proves proved proven proof demonstrates demonstrate demonstrated confirm confirms confirmed
twice: twice double doubled doubling`, "\n") {
		class, words, _ := strings.Cut(line, ": ")
		for _, w := range strings.Fields(words) {
			m[w+"\x00"+class] = class
		}
	}
	return m
}()

// strongClasses lists classes in a fixed order, with the words of a claim that
// call for the check (a narrower list than what satisfies it).
var strongClasses = []struct {
	Class string
	Words map[string]bool
}{
	{"more", set("more higher greater larger bigger better increase increases increased rise rises rose grew outperform outperforms outperformed exceed exceeds exceeded superior improve improves improved mehr größer höher besser")},
	{"less", set("less fewer lower smaller worse decrease decreases decreased drop drops dropped fell decline declined reduce reduces reduced inferior weniger kleiner niedriger")},
	{"most", set("most best highest largest biggest greatest majority strongest meisten plupart mayoría")},
	{"least", set("least worst lowest smallest fewest weakest")},
	{"cause", set("because cause causes caused causing leads led therefore consequently owing prevents prevented weil verursacht führt porque")},
	{"all", set("all every always entire everyone everything alle jede immer tous todos toujours siempre")},
	{"never", set("never none nobody nie jamais nunca")},
	{"significant", set("significant significantly signifikant")},
	{"prove", set("prove proves proved proven proof")},
}

func inClass(w, class string) bool { return strong[w+"\x00"+class] != "" }

// limits of a statement that D6 looks for, by class.
var limitClasses = []struct {
	Class, Name string
	Words       map[string]bool
}{
	{"not", "not", set("not no never none neither nor without cannot can't don't doesn't didn't isn't aren't wasn't weren't won't couldn't hardly nicht kein keine keinen nie ohne pas jamais sans nunca sin far lack lacks lacked fail fails failed unable impossible absence absent insufficient")},
	{"may", "may", set("may might could possibly perhaps probably likely suggest suggests suggested appear appears seem seems seemed potentially presumably possible unclear könnte vielleicht vermutlich möglicherweise peut-être quizás podría hypothesize speculate believe assume")},
	{"animal", "in animals", set("mice mouse rats rat animals animal rodents vitro zebrafish monkeys dogs pigs rabbits mäusen souris ratones")},
}
