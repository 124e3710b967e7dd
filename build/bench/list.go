package bench

const (
	storeWhy  = "the measurement over the vault is not written yet"
	recallWhy = "the corpus figures need the planner's full choice of passages, which this version does not have"
	simWhy    = "the simulated model with a clock of its own comes with the planning work"
	auditWhy  = "the whole-ledger audit is not part of this version"
	fileWhy   = "the 10,000-line hand-off comes with the work on large tasks"
)

// Figures are all figures of the design, in its order.
func Figures() []Figure {
	return []Figure{
		{"commit_x_fsync", "x", "<= 5", nil, storeWhy},
		{"commit_vs_langgraph", "x", "<= 0.25", nil, "the comparison with LangGraph needs its packages, which are not fetched here"},
		{"step_cpu_ms", "ms", "<= 5", nil, storeWhy},
		{"wall_over_model", "x", "<= 1.02", nil, simWhy},
		{"growth_x_unique", "x", "<= 1.5", nil, storeWhy},
		{"fold_lines_per_s", "lines/s", ">= 100000", nil, storeWhy},
		{"open_ms", "ms", "<= 1000", nil, storeWhy},
		{"show_any_ms", "ms", "<= 150", nil, "a task of 10,000 checkpoints is not built in this version"},
		{"vault_rss_mb", "MB", "<= 80", nil, "the open vault is measured with the work on large tasks"},
		{"app_rss_mb", "MB", "<= 290", appMemory, ""},
		{"recall_quick", "share", ">= reference + 0.05", nil, recallWhy},
		{"recall_thorough", "share", ">= 0.85 at a share <= 0.75", nil, recallWhy},
		{"recall_exhaustive", "share", "1.00", nil, recallWhy},
		{"first_quote_s", "s", "<= 180", nil, simWhy},
		{"partial_answers_s", "s", "<= 2700", nil, simWhy},
		{"thorough_h", "h", "<= 8", nil, simWhy},
		{"exhaustive_h", "h", "<= 12", nil, simWhy},
		{"cached_prompt_share", "share", "reported", nil, "the runtime does not report it, and nothing is counted in its place"},
		{"audit_full_s", "s", "<= 2", nil, auditWhy},
		{"audit_step_ms", "ms", "<= 5", nil, auditWhy},
		{"export_s", "s", "<= 2", nil, fileWhy},
		{"verify_s", "s", "<= 2", nil, fileWhy},
		{"import_s", "s", "<= 2", nil, fileWhy},
	}
}
