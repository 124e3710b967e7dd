package cli

import (
	"regexp"
	"strings"
	"testing"
)

// libraryWords are what the flag and command libraries say; nobody should read it.
var libraryWords = regexp.MustCompile(`arg\(s\)|invalid argument|unknown (flag|command|shorthand)|strconv|parsing|flag needs|accepts|%!`)

// Whatever is typed wrongly is answered with house sentences and exit code 2:
// what is wrong, that nothing was changed, what to type.
func TestMisuse(t *testing.T) {
	type misuse struct{ args, what, do string }
	list := []misuse{
		{"bogus", "There is no command “bogus”.", "cairn --help"},
		{"--nope", "`cairn` has no --nope.", "cairn --help"},
		{"-z", "`cairn` has no -z.", "cairn --help"},
		{"show", "`cairn show` needs TASK.", "cairn show TASK"},
		{"accept aa1", "`cairn accept` needs CLAIM.", "cairn accept TASK CLAIM"},
		{"accept", "`cairn accept` needs TASK and CLAIM.", "cairn accept TASK CLAIM"},
		{"show aa1 more", "“more” is more than `cairn show` takes.", "quotation marks"},
		{"show aa1 --at x", "--at can't be “x”.", "--at 12"},
		{"show aa1 --at", "--at needs a value.", "--help"},
		{"show aa1 --at -3", "--at takes the number of a line, from 1.", "cairn log"},
		{"new --budget 5", "--budget can't be “5”.", "--budget 90m"},
		{"new --budget -5m", "--budget can't be negative.", "90m"},
		{"log aa1 --full=perhaps", "--full can't be “perhaps”.", "--full alone"},
		{"edit aa1 c1", "The new wording is missing.", "cairn edit TASK CLAIM --text TEXT"},
		{"export aa1", "It is missing which file to write.", "cairn export TASK -o FILE"},
	}
	root := (&tool{}).root()
	for _, c := range root.Commands() {
		list = append(list,
			misuse{c.Name() + " a b c d", "“", "cairn " + c.Name()},
			misuse{c.Name() + " --nope", "`cairn " + c.Name() + "` has no --nope.", "--help"},
			misuse{c.Name() + " --quiet=x", "--quiet can't be “x”.", "--quiet alone"},
		)
	}
	for _, m := range list {
		t.Run(m.args, func(t *testing.T) {
			r := cairn(t, nil, "", strings.Fields(m.args)...)
			lines := strings.Split(strings.TrimSpace(r.err), "\n")
			if r.code != Usage || len(lines) != 3 || !strings.HasPrefix(lines[0], m.what) || lines[1] != "Nothing was changed." || !strings.Contains(lines[2], m.do) {
				t.Errorf("code %d:\n%s", r.code, r.err)
			}
			if w := libraryWords.FindString(r.err); w != "" {
				t.Errorf("it says %q:\n%s", w, r.err)
			}
			if len(r.fake.Calls()) != 0 {
				t.Errorf("something was done: %v", r.fake.Calls())
			}
		})
	}
}
