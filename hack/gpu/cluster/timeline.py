#!/usr/bin/env python3
"""Records what happens to the benchmark pods of a cluster, and prints one line per attempt with where its time went.

Usage: timeline.py record FOLDER CONTAINERD-SOCKET...   until it is interrupted; kubectl, ctr and KUBECONFIG as in the environment
       timeline.py table FOLDER
Pods and results are dated when their watch tells of them, containers by containerd itself.
"""
import codecs
import json
import re
import subprocess
import sys
import threading
import time
from datetime import datetime
from pathlib import Path


def watch(kind, out):
    """Appends every change of the objects with the time of its arrival."""
    command = ["kubectl", "get", kind, "--namespace=assay-benchmarks", "--watch", "--output-watch-events", "--output=json"]
    if kind == "validationresults":
        command.remove("--namespace=assay-benchmarks")
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process, out.open("w") as lines:
        text, decoder = "", json.JSONDecoder()
        characters = codecs.getincrementaldecoder("utf-8")()  # a chunk may end within one
        for chunk in iter(lambda: process.stdout.read1(1 << 16), b""):
            now, text = time.time(), text + characters.decode(chunk)
            while text := text.lstrip():
                try:
                    event, end = decoder.raw_decode(text)
                except json.JSONDecodeError:
                    break
                text = text[end:]
                lines.write(json.dumps({"time": now, **event}) + "\n")
                lines.flush()


def containers(socket, out):
    with out.open("w") as lines:
        subprocess.run(["ctr", "--address", socket, "--namespace", "k8s.io", "events"], stdout=lines, check=False)


def record(folder, sockets):
    folder.mkdir(parents=True, exist_ok=True)
    threads = [threading.Thread(target=watch, args=(kind, folder / f"{kind}.jsonl"), daemon=True) for kind in ("pods", "validationresults")]
    threads += [threading.Thread(target=containers, args=(s, folder / f"containers-{i}.log"), daemon=True) for i, s in enumerate(sockets)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def container_times(folder):
    """(container, event) -> time of its first task event."""
    found = {}
    for log in folder.glob("containers-*.log"):
        for line in log.read_text().splitlines():
            match = re.match(r"(\S+ \S+) \+0000 UTC \S+ (/tasks/(?:start|exit)) (.*)", line)
            if not match:
                continue
            stamp, micros = match[1][:19], float("0" + match[1][19:] or 0)
            when = datetime.fromisoformat(stamp + "+00:00").timestamp() + micros
            found.setdefault((json.loads(match[3])["container_id"], match[2]), when)
    return found


def events(folder, kind):
    file = folder / f"{kind}.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def stored_times(folder):
    """Pod -> when an attempt of it was first seen in a result."""
    stored = {}
    for event in events(folder, "validationresults"):
        for benchmark in event["object"].get("status", event["object"]).get("benchmarks", []):
            for attempt in benchmark.get("attempts", []):
                stored.setdefault(attempt.get("pod"), event["time"])
    return stored


class Pod:
    def __init__(self, name):
        self.name, self.times, self.ids, self.benchmark, self.node = name, {}, {}, "", ""

    def see(self, event):
        pod, status = event["object"], event["object"].get("status", {})
        self.benchmark = pod["metadata"].get("labels", {}).get("assay.dev/benchmark", self.benchmark)
        self.node = pod["spec"].get("nodeName", self.node)
        self.times.setdefault("created", event["time"])
        for state in status.get("initContainerStatuses", []) + status.get("containerStatuses", []):
            if state.get("containerID"):
                self.ids[state["name"]] = state["containerID"].split("//")[-1]
            if state["name"] == "benchmark" and "terminated" in state.get("state", {}):
                self.times.setdefault("told", event["time"])

    def add(self, found, stored):
        for name, prefix in (("install-runner", "install"), ("benchmark", "program")):
            for event, suffix in (("/tasks/start", "Start"), ("/tasks/exit", "End")):
                if (self.ids.get(name), event) in found:
                    self.times[prefix + suffix] = found[self.ids[name], event]
        if self.name in stored:
            self.times["stored"] = stored[self.name]


def table(folder):
    pods, found, stored = {}, container_times(folder), stored_times(folder)
    for event in events(folder, "pods"):
        name = event["object"]["metadata"]["name"]
        pods.setdefault(name, Pod(name)).see(event)
    for pod in pods.values():
        pod.add(found, stored)
    order = sorted(pods.values(), key=lambda p: p.times["created"])
    if not order:
        sys.exit("timeline.py: no pod was recorded")
    zero = order[0].times["created"]
    header = ("node", "benchmark", "created", "installed", "began", "ended", "told", "stored", "to program", "program", "to next pod")
    print("seconds since the first pod was created; told: the kubelet has reported the program's end; stored: the operator its result")
    print("".join(f"{h:>12}" if i > 1 else f"{h:<16}" for i, h in enumerate(header)))
    for pod in order:
        t = pod.times
        later = [p.times["created"] for p in order if p.node == pod.node and p.times["created"] > t["created"]]
        cells = [at(t.get(k), zero) for k in ("created", "installEnd", "programStart", "programEnd", "told", "stored")]
        cells += [at(t.get("programStart"), t["created"]), at(t.get("programEnd"), t.get("programStart")), at(later[0] if later else None, t.get("programEnd"))]
        print(f"{pod.node:<16}{pod.benchmark:<16}" + "".join(f"{c:>12}" for c in cells))


def at(time_, zero):
    return f"{time_ - zero:.2f}" if time_ is not None and zero is not None else "-"


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "record":
        record(Path(sys.argv[2]), sys.argv[3:])
    elif len(sys.argv) == 3 and sys.argv[1] == "table":
        table(Path(sys.argv[2]))
    else:
        sys.exit(__doc__)
