"""A GPU, or a CPU in its place: what differs between the two."""

import time

import torch

from gpus import CannotRun

LEAST_CAPABILITY = 8  # from Ampere on, the matrix units multiply BF16


class Cuda:
    backend = "nccl"
    product_order, products_per_sample, product_seconds = 8192, 20, 2.0

    def __init__(self, ordinal: int):
        torch.cuda.set_device(ordinal)
        self.device = torch.device("cuda", ordinal)
        self.group_device = self.device
        self.device_ids = [ordinal]
        torch.utils.deterministic.fill_uninitialized_memory = False
        properties = torch.cuda.get_device_properties(ordinal)
        if properties.major < LEAST_CAPABILITY:
            raise CannotRun(f"{properties.name} has no matrix units for BF16: this needs a GPU of compute capability {LEAST_CAPABILITY}.0 or later")

    def describe(self) -> dict:
        nccl = ".".join(str(part) for part in torch.cuda.nccl.version())
        return {"torch": torch.__version__, "cuda": torch.version.cuda, "nccl": nccl, "cudnn": str(torch.backends.cudnn.version())}

    def memory_bytes(self) -> tuple[int, int]:
        """Free, and all of it."""
        return torch.cuda.mem_get_info(self.device)

    def peak_bytes(self) -> int:
        return torch.cuda.max_memory_reserved(self.device)

    def mark(self) -> torch.cuda.Event:
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def seconds(self, before: torch.cuda.Event, after: torch.cuda.Event) -> float:
        """Waits for the later one."""
        after.synchronize()
        return before.elapsed_time(after) / 1e3

    def wait(self) -> None:
        torch.cuda.synchronize(self.device)

    def to_host(self, value: torch.Tensor) -> torch.Tensor:
        """Without waiting: it is there when what was queued before is done."""
        host = torch.empty((), dtype=value.dtype, pin_memory=True)
        host.copy_(value, non_blocking=True)
        return host


class Cpu:
    backend = "gloo"
    product_order, products_per_sample, product_seconds = 128, 2, 0.05
    device = torch.device("cpu")
    group_device = None
    device_ids = None

    def __init__(self):
        torch.set_num_threads(1)

    def describe(self) -> dict:
        return {"torch": torch.__version__}

    def memory_bytes(self) -> tuple[int, int]:
        return 1 << 33, 1 << 33

    def peak_bytes(self) -> None:
        return None

    def mark(self) -> float:
        return time.perf_counter()

    def seconds(self, before: float, after: float) -> float:
        return after - before

    def wait(self) -> None:
        pass

    def to_host(self, value: torch.Tensor) -> torch.Tensor:
        return value.clone()
