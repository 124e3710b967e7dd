"""The other side of commit_vs_langgraph: a state that grows by one step at a time,
saved by LangGraph's SqliteSaver. It reads one JSON object a line: {"add": step} puts
a step into the state, {"put": step} does the same and saves the state, and is
answered with the milliseconds that saving took, by this process's own clock."""

import base64
import json
import sqlite3
import sys
import time

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver


def main(path):
    saver = SqliteSaver(sqlite3.connect(path, check_same_thread=False))
    saver.setup()
    config = {"configurable": {"thread_id": "bench", "checkpoint_ns": ""}}
    replies, claims, n = [], [], 0
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        step = order.get("put") or order["add"]
        replies += [base64.b64decode(r) for r in step["replies"]]
        claims += step["claims"]
        n += 1
        if "put" not in order:
            continue
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = {"replies": list(replies), "claims": list(claims)}
        checkpoint["channel_versions"] = {"replies": f"{n:032}", "claims": f"{n:032}"}
        begun = time.perf_counter()
        config = saver.put(config, checkpoint, {"source": "loop", "step": n, "parents": {}}, checkpoint["channel_versions"])
        print((time.perf_counter() - begun) * 1000, flush=True)


main(sys.argv[1])
