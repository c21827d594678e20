"""The GPUs that CUDA shows this process, without a context on any of them. They are named by their PCI addresses: gpu0 has the lowest."""

import ctypes
import os
from dataclasses import dataclass

NO_DEVICE, INSUFFICIENT_DRIVER = 100, 35


class CannotRun(Exception):
    """This machine lacks what the program needs."""


@dataclass(frozen=True)
class Gpu:
    ordinal: int  # CUDA's
    address: str
    uuid: str
    product: str


def _checked(code: int, what: str) -> None:
    if code in (NO_DEVICE, INSUFFICIENT_DRIVER):
        raise CannotRun(f"no usable GPU: CUDA error {code} {what}")
    if code != 0:
        raise RuntimeError(f"CUDA error {code} {what}")


def _uuid(cuda: ctypes.CDLL, device: int, product: str) -> str:
    raw = (ctypes.c_ubyte * 16)()
    _checked(cuda.cuDeviceGetUuid_v2(raw, device), "reading a GPU's UUID")
    digits = bytes(raw).hex()
    groups = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    return ("MIG-" if " MIG " in product else "GPU-") + "-".join(groups)


def _describe(cuda: ctypes.CDLL, ordinal: int) -> Gpu:
    device = ctypes.c_int()
    _checked(cuda.cuDeviceGet(ctypes.byref(device), ordinal), f"opening CUDA's device {ordinal}")
    name, address = ctypes.create_string_buffer(128), ctypes.create_string_buffer(32)
    _checked(cuda.cuDeviceGetName(name, len(name), device), f"reading the name of CUDA's device {ordinal}")
    _checked(cuda.cuDeviceGetPCIBusId(address, len(address), device), f"reading the address of CUDA's device {ordinal}")
    product = name.value.decode(errors="replace")
    return Gpu(ordinal, address.value.decode(errors="replace"), _uuid(cuda, device.value, product), product)


def visible() -> list[Gpu]:
    """By PCI address."""
    os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise CannotRun("no usable GPU: libcuda.so.1 cannot be loaded; is there a driver?") from error
    _checked(cuda.cuInit(0), "asking the driver")
    count = ctypes.c_int()
    _checked(cuda.cuDeviceGetCount(ctypes.byref(count)), "counting the GPUs")
    if count.value == 0:
        raise CannotRun("no usable GPU: none is visible")
    return sorted((_describe(cuda, ordinal) for ordinal in range(count.value)), key=lambda gpu: gpu.address)
