# SPDX-License-Identifier: BSD-3-Clause
# peer_start.py - what the peers share.  Import it before torch.
import atexit
import os
import time

# On a machine that others use too, PEER_CLOCK=cpu counts the time of the
# process alone; with several threads that means nothing.
clock = (time.process_time if os.environ.get("PEER_CLOCK") == "cpu"
         else time.perf_counter)


def cpu_flags():
    with open("/proc/cpuinfo") as stream:
        for line in stream:
            if line.startswith("flags"):
                return set(line.split())
    return set()


def best_openblas():
    """OpenBLAS takes its oldest kernels for a CPU that is newer than itself
    (0.3.21 on Emerald Rapids: Prescott, 29 GFLOP/s a core where Cooperlake's
    do 140), so name the best that the CPU can run, and let no other be
    forced."""
    os.environ.pop("OPENBLAS_CORETYPE", None)
    flags = cpu_flags()
    for core, needs in (("Cooperlake", {"avx512bw", "avx512_bf16"}),
                        ("SkylakeX", {"avx512bw", "avx512dq", "avx512vl"}),
                        ("Haswell", {"avx2", "fma"})):
        if needs <= flags:
            os.environ["OPENBLAS_CORETYPE"] = core
            return


def start(threads):
    """Keep to 'threads' cores; returns torch."""
    best_openblas()
    os.environ["OMP_NUM_THREADS"] = str(threads)
    cores = sorted(os.sched_getaffinity(0))[-threads:]
    if len(cores) < threads:
        raise SystemExit(f"peer: {threads} threads asked for, "
                         f"{len(cores)} cores given")
    os.sched_setaffinity(0, cores)
    import torch
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    atexit.register(put_share, threads, time.perf_counter(),
                    time.process_time())
    return torch


def put_share(threads, wall, cpu):
    """How much of its cores the process had since start(): below 95 the machine
    was busy with something else and the figures are no good."""
    had = (time.process_time() - cpu) / (time.perf_counter() - wall)
    put("share of its cores had", 100 * had / threads, "%")


def put(what, value, unit):
    print(f"{what}\t{value:.6g}\t{unit}", flush=True)


def best_of(tries, work):
    """The shortest time of 'tries' calls, in seconds."""
    times = []
    for _ in range(tries):
        begin = clock()
        work()
        times.append(clock() - begin)
    return min(times)
