"""What NVIDIA's management library says of one GPU. It only reads; what it does not say is None."""

try:
    import pynvml
except ImportError:
    pynvml = None


def load() -> str:
    """Why it does not answer; empty where it does."""
    if pynvml is None:
        return "the Python package nvidia-ml-py is not installed"
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return str(error)
    return ""


class Sensors:
    """Of the GPU with this UUID, after load()."""

    def __init__(self, uuid: str):
        self._handle = self._ask("nvmlDeviceGetHandleByUUID", uuid) if pynvml is not None else None

    @staticmethod
    def _ask(function: str, *arguments):
        try:
            return getattr(pynvml, function)(*arguments)
        except (pynvml.NVMLError, AttributeError, TypeError):
            return None

    def _of_gpu(self, function: str, *arguments):
        return None if self._handle is None else self._ask(function, self._handle, *arguments)

    def joules(self) -> float | None:
        """Since the driver was loaded."""
        millijoules = self._of_gpu("nvmlDeviceGetTotalEnergyConsumption")
        return None if millijoules is None else millijoules / 1e3

    def clock_mhz(self) -> int | None:
        return self._of_gpu("nvmlDeviceGetClockInfo", 1)  # NVML_CLOCK_SM

    def celsius(self) -> int | None:
        return self._of_gpu("nvmlDeviceGetTemperature", 0)  # NVML_TEMPERATURE_GPU

    def ecc_uncorrected(self) -> int | None:
        """Since the driver was loaded."""
        return self._of_gpu("nvmlDeviceGetTotalEccErrors", 1, 0)  # NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC

    def busy_percent(self) -> int | None:
        """Over the last sixth of a second to second."""
        rates = self._of_gpu("nvmlDeviceGetUtilizationRates")
        return None if rates is None else rates.gpu

    def processes(self) -> list[tuple[int, int | None]]:
        """Pids that compute on it, of those that this container may see, and the bytes that each holds."""
        found = self._of_gpu("nvmlDeviceGetComputeRunningProcesses")
        return [(process.pid, process.usedGpuMemory) for process in found or []]
