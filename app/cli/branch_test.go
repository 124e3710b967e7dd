package cli

import (
	"reflect"
	"strings"
	"testing"

	"cairn/app/servicetest"
)

func TestBranchAndJoin(t *testing.T) {
	fake := func(method string, args []any) (any, error) {
		switch method {
		case "Branch":
			return taskA2, nil
		case "Join":
			return "Taken over: 2 claims and 0 documents.", nil
		}
		return answers(method, args)
	}
	for args, want := range map[string]struct {
		code int
		says string
		call servicetest.Call
	}{
		"branch aa1 --at 7 --name other": {Good, "begins there", servicetest.Call{Method: "Branch", Args: []any{taskA, int64(7), "other"}}},
		"branch aa1":                     {Good, "aa22222222", servicetest.Call{Method: "Branch", Args: []any{taskA, int64(0), ""}}},
		"branch aa1 --at -1":             {Usage, "from 1 on", servicetest.Call{}},
		"branch":                         {Usage, "needs TASK", servicetest.Call{}},
		"join aa1 aa2":                   {Good, "2 claims", servicetest.Call{Method: "Join", Args: []any{taskA, taskA2}}},
		"join aa1":                       {Usage, "OTHER", servicetest.Call{}},
	} {
		r := cairn(t, &servicetest.Fake{Answer: fake}, "", strings.Fields(args)...)
		if r.code != want.code || !strings.Contains(r.out+r.err, want.says) {
			t.Errorf("%s: exit code %d\n%s%s", args, r.code, r.out, r.err)
		}
		if calls := r.fake.Calls(); want.call.Method != "" && (len(calls) == 0 || !reflect.DeepEqual(calls[len(calls)-1], want.call)) {
			t.Errorf("%s called %+v", args, calls)
		}
	}
}
