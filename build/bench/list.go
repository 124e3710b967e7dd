package bench

const (
	recallWhy = "the figures over the corpus need the planner's full choice of passages, which this version does not have"
	simWhy    = "this version has no simulated model with a clock of its own"
	fileWhy   = "taking a file over is the app's work, which these measurements don't reach"
)

// Figures are all figures of the design, in its order.
func Figures() []Figure {
	return []Figure{
		{"commit_x_fsync", "x", "<= 5", ""},
		{"commit_vs_langgraph", "x", "<= 0.25", ""},
		{"step_cpu_ms", "ms", "<= 5", ""},
		{"wall_over_model", "x", "<= 1.02", simWhy},
		{"growth_x_unique", "x", "<= 1.5", ""},
		{"fold_lines_per_s", "lines/s", ">= 100000", ""},
		{"open_ms", "ms", "<= 1000", ""},
		{"show_any_ms", "ms", "<= 150", ""},
		{"vault_rss_mb", "MB", "<= 80", ""},
		{"app_rss_mb", "MB", "<= 290", ""},
		{"recall_quick", "share", ">= reference + 0.05", recallWhy},
		{"recall_thorough", "share", ">= 0.85 at a share <= 0.75", recallWhy},
		{"recall_exhaustive", "share", "1.00", recallWhy},
		{"first_quote_s", "s", "<= 180", simWhy},
		{"partial_answers_s", "s", "<= 2700", simWhy},
		{"thorough_h", "h", "<= 8", simWhy},
		{"exhaustive_h", "h", "<= 12", simWhy},
		{"cached_prompt_share", "share", "reported", "the runtime does not tell how much of a prompt it had already read"},
		{"audit_full_s", "s", "<= 2", ""},
		{"audit_step_ms", "ms", "<= 5", ""},
		{"export_s", "s", "<= 2", ""},
		{"verify_s", "s", "<= 2", ""},
		{"import_s", "s", "<= 2", fileWhy},
	}
}
