package audit

import (
	"fmt"
	"strings"
	"testing"

	"cairn/engine/ledger"
	"cairn/engine/state"
)

const question = "What data did each study use, and how large is it?"

// desk is a small task: one question and sources made of sentences. Everything
// of every source was shown, unless a test says otherwise.
type desk struct {
	Context
	texts map[string][]string
	heads map[string]string
	q     string
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	d := &desk{texts: map[string][]string{}, heads: map[string]string{}}
	d.q = ledger.QuestionID(ledger.Question{Text: question})
	d.State = &state.State{
		Sources: map[string]*state.Source{}, Questions: map[string]*state.Question{d.q: {ID: d.q, Text: question, Status: state.Open}},
		QuestionIDs: []string{d.q}, Claims: map[string]*state.Claim{}, Assumptions: map[string]*state.Assumption{},
		Tried: map[string]*state.Attempted{}, Answers: map[string]*state.Answer{}, Plan: map[string]*state.PlanItem{},
		Notes: map[string]*state.Note{}, Reports: map[string]*state.Report{}, Finished: map[string]*state.Done{},
	}
	d.Shown = func(s string) []state.Interval { return []state.Interval{{From: 1, To: int64(len(d.texts[s]))}} }
	d.Slice = func(s string, from, to int64) (string, error) {
		ts := d.texts[s]
		if from < 1 || to > int64(len(ts)) || from > to {
			return "", fmt.Errorf("cut %d-%d: no such sentences", from, to)
		}
		return strings.Join(ts[from-1:to], " "), nil
	}
	d.Heading = func(s string, n int64) string { return d.heads[s] }
	return d
}

func (d *desk) source(name, title string, sentences ...string) string {
	body := strings.Join(sentences, " ")
	s := ledger.Source{Name: name, Title: title, Body: ledger.HashOf([]byte(body)).String(), File: ledger.HashOf([]byte(name)).String(), Sentences: int64(len(sentences))}
	id := ledger.SourceID(s)
	d.State.Sources[id] = &state.Source{ID: id, Name: name, Title: title, Body: s.Body, File: s.File, Sentences: s.Sentences}
	d.State.SourceIDs = append(d.State.SourceIDs, id)
	d.texts[id] = sentences
	return id
}

// claim puts a live claim into the state.
func (d *desk) claim(text, source string, n int64, change func(*state.Claim)) string {
	slice, _ := d.Slice(source, n, n)
	c := ledger.Claim{Basis: []string{ledger.Ref(source, n, n)}, Question: d.q, Text: text}
	id := ledger.ClaimID(c)
	k := &state.Claim{ID: id, Question: d.q, Text: text, Basis: c.Basis, Trust: state.Backed, Standing: state.Active,
		Evidence: []state.Evidence{{Slice: ledger.Slice{From: n, To: n, Source: source, Text: slice}, Stance: "supports"}}}
	if change != nil {
		change(k)
	}
	d.State.Claims[id] = k
	d.State.ClaimIDs = append(d.State.ClaimIDs, id)
	return id
}

func outcome(v Verdict) string {
	switch {
	case v.Refusal != nil:
		return "refused " + v.Refusal.Code
	case v.Fallback != nil:
		return "quote instead " + v.Fallback.Code
	case len(v.Flags) > 0:
		return "flags " + strings.Join(v.Flags, " ")
	}
	return "kept"
}

// honest are findings as people and models make them: paraphrase, rounding with
// a mark, numbers as words, other order, curly quotes, line wraps. None may be refused.
var honest = []struct{ quote, claim string }{
	{"They collected 19,276 legitimate users and 22,223 spammers in their datasets along with their tweet content in 7 months.", "The data of the study are 19,276 legitimate users and 22,223 spammers, collected over seven months."},
	{"They collected 19,276 legitimate users and 22,223 spammers in their datasets along with their tweet content in 7 months.", "Tweets of 19276 legitimate users and 22 223 spammers were collected in 7 months."},
	{"They collected 19,276 legitimate users and 22,223 spammers in their datasets along with their tweet content in 7 months.", "More than 22,000 spammers and about 19,300 legitimate users were collected."},
	{"After preprocessing steps, the Weibo dataset contains 2197 legitimate users and 802 spammers, and the honeypot dataset contains 2218 legitimate users and 2947 spammers.", "The honeypot dataset has 2,218 legitimate users and 2,947 spammers after preprocessing."},
	{"After preprocessing steps, the Weibo dataset contains 2197 legitimate users and 802 spammers, and the honeypot dataset contains 2218 legitimate users and 2947 spammers.", "Preprocessing left 802 spammers in the Weibo dataset."},
	{"The sample collected consisted on 1 785 855 tweets published by 848 196 different users.", "The sample holds 1,785,855 tweets by 848,196 users."},
	{"The sample collected consisted on 1 785 855 tweets published by 848 196 different users.", "About 1.8 million tweets from roughly 850,000 users were collected."},
	{"The sample collected consisted on 1 785 855 tweets published by 848 196 different users.", "The study's sample was nearly 1.79 million tweets."},
	{"Within our sample, we identified 1327 tweets that went viral (retweeted more than 1000 times by the 8th of November 2016) produced by 643 users.", "1,327 tweets of the sample went viral, that is, were retweeted more than 1,000 times by 8 November 2016."},
	{"Within our sample, we identified 1327 tweets that went viral (retweeted more than 1000 times by the 8th of November 2016) produced by 643 users.", "The 1327 viral tweets came from 643 users."},
	{"We performed extensive experiments using three real-world datasets: Formspring (12k posts), Twitter (16k posts), and Wikipedia(100k posts).", "The experiments used 3 datasets: Formspring with 12,000 posts, Twitter with 16,000 and Wikipedia with 100,000."},
	{"We performed extensive experiments using three real-world datasets: Formspring (12k posts), Twitter (16k posts), and Wikipedia(100k posts).", "Three real-world datasets were used."},
	{"The dataset contains 14,100 tweets and is released freely to the research community.", "The dataset has 14100 tweets and is freely available."},
	{"The dataset contains 14,100 tweets and is released freely to the research community.", "The dataset of 14,100 tweets\nis released to the research\ncommunity."},
	{"For the non-factual accounts, we rely on a list of 180 Twitter accounts.", "A list of 180 Twitter accounts is used for the non-factual accounts."},
	{"On the other hand, for the factual accounts, we use a list with another 32 Twitter accounts that are considered trustworthy by independent third parties.", "For factual accounts the authors use 32 Twitter accounts that third parties consider trustworthy."},
	{"GOSS+LOSS achieves the best performance on F1-score among all others.", "GOSS+LOSS has the best F1 score of all."},
	{"We found significant differences on the distribution of followers, the number of URLs on tweets, and the verification of the users.", "Fake and other news differ significantly in followers, URLs in tweets and verification of users."},
	{"This significantly improved the performance of all DNN models with major leap in all three evaluation measures.", "All DNN models performed significantly better on the three evaluation measures."},
	{"That is, we replicated bullying posts thrice in the training data.", "Bullying posts were repeated three times in the training data."},
	{"The CNN outperforms the RNN model, achieving a macro-F1 score of 0.80.", "The CNN reaches a macro-F1 of 0.80, better than the RNN."},
	{"The CNN outperforms the RNN model, achieving a macro-F1 score of 0.80.", "A convolutional neural network outperforms the RNN."},
	{"A CNN-based sentence classifier achieved the best results in all three sub-tasks.", "The CNN-based classifier was best in all 3 sub-tasks."},
	{"FacTweet performs better than the proposed baselines and obtains the highest macro-F1 value of 0.565.", "FacTweet beats the baselines with a macro-F1 of 0.565."},
	{"The results indicate that most performance gains come from words embeddings, style, and morality features.", "Word embeddings, style and morality features bring most of the performance gains."},
	{"It is worth mentioning that the Honeypot dataset has been slashed because most of the Twitter accounts only have limited number of posts, which are not enough to show their interest inclination.", "The Honeypot dataset was cut because most accounts have too few posts to show their interests."},
	{"The annotation was carried out by a single person in order to obtain a consistent annotation throughout the dataset.", "One person did the annotation."},
	{"The annotation was carried out by a single person in order to obtain a consistent annotation throughout the dataset.", "Annotating the dataset was done by one person only."},
	{"Note that the categorization is far from being perfect given the ambiguity of fake news themselves and human judgement involved in the process of categorization.", "The authors say that their categorization is far from perfect, because fake news are ambiguous and human judgement is involved."},
	{"Because of this, we do not claim that this dataset can be considered a ground truth.", "The authors do not claim that the dataset is a ground truth."},
	{"The classifier reached an accuracy of 41% on held-out posts.", "Accuracy on held-out posts was 41 %."},
	{"The classifier reached an accuracy of 41% on held-out posts.", "Accuracy on held-out posts was 41 percent."},
	{"The classifier reached an accuracy of 0.41 on held-out posts.", "On held-out posts the classifier was right in 41 % of cases."},
	{"Half of the participants said “never again”.", "50 % of the participants said \"never again\"."},
	{"The dose was raised from 5 mg to 10 mg after two weeks.", "After 2 weeks the dose was 10 mg instead of 5mg."},
	{"Twenty-one patients took part, aged 35–61 years.", "21 patients between 35 and 61 years took part."},
	{"The trial ran from 3 March 2019 to 11 May 2020 in Germany.", "The trial in Germany ran from March 3, 2019 until May 11, 2020."},
	{"The trial cost $2.5 million in total.", "In total the trial cost 2.5 million dollars."},
	{"Temperatures fell by −0.5 °C per decade.", "Temperatures fell by 0.5 °C each decade."},
	{"The company’s turnover rose from €1.2bn to €1.4bn.", "The company's turnover rose to €1.4 billion."},
	{"Die Studie umfasst 1.250 Patienten aus zwölf Kliniken.", "An der Studie nahmen 1250 Patienten aus 12 Kliniken teil."},
	{"Die Behandlung dauerte im Mittel 3,5 Tage.", "Im Mittel dauerte die Behandlung 3,5 Tage."},
	{"L’étude porte sur 240 patients suivis pendant deux ans.", "L'étude a suivi 240 patients pendant 2 ans."},
	{"The ﬁrst survey reached 1'200 house-\nholds in the canton.", "The first survey reached 1,200 households in the canton."},
	{"Less than 20% of the accounts were verified by Twitter.", "Less than 20 % of accounts were verified by Twitter."},
	{"Annotators agreed on 92.4 per cent of the posts.", "The annotators' agreement was 92.4%."},
	{"Hydrogen bonds may explain the higher boiling point of water.", "Hydrogen bonds may explain water's higher boiling point."},
	{"No evidence of an effect on sleep was found in any of the trials.", "In none of the trials was there evidence of an effect on sleep."},
}

func TestHonestFindingsAreKept(t *testing.T) {
	refused, flagged := 0, 0
	for _, h := range honest {
		d := newDesk(t)
		s := d.source("a.md", "", h.quote)
		v := CheckFinding(d.Context, Finding{Question: d.q, Source: s, From: 1, To: 1, Text: h.claim})
		switch o := outcome(v); {
		case v.Refusal != nil || v.Fallback != nil:
			refused++
			r := v.Refusal
			if r == nil {
				r = v.Fallback
			}
			t.Errorf("%s: %s\n claim %s\n quote %s", o, r.Message, h.claim, h.quote)
		case o != "kept":
			flagged++
			t.Logf("%s (%v): %s", o, v.Why, h.claim)
		}
	}
	t.Logf("%d honest findings: %d refused, %d flagged", len(honest), refused, flagged)
	if flagged*10 > len(honest) {
		t.Errorf("%d of %d honest findings are flagged", flagged, len(honest))
	}
}
