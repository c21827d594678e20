#!/usr/bin/env python3
"""Prints this machine's GPUs as the Devices of a ResourceSlice, with the names and attributes that NVIDIA's DRA driver gives them.

Usage: hack/gpu/cluster/devices.py [FIRST COUNT]     (in the order of nvidia-smi; without numbers all)
"""
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as xml


def ask(*arguments):
    return subprocess.run(["nvidia-smi", *arguments], check=True, capture_output=True, text=True).stdout


def version(text):
    """As semantic versions are written: three numbers without leading zeros, 580.95.5 for 580.95.05."""
    return ".".join(str(int(number)) for number in (text.split(".") + ["0", "0"])[:3])


def device(gpu, log, capability):
    domain, rest = gpu.findtext("pci/pci_bus_id").lower().split(":", 1)
    strings = {
        "type": "gpu", "uuid": gpu.findtext("uuid"), "productName": gpu.findtext("product_name"), "brand": gpu.findtext("product_brand"),
        "architecture": gpu.findtext("product_architecture"), "pcieBusID": f"{domain[-4:]}:{rest}",
    }
    versions = {
        "cudaComputeCapability": capability, "cudaDriverVersion": log.findtext("cuda_version"), "driverVersion": log.findtext("driver_version"),
    }
    attributes = {name: {"string": value} for name, value in strings.items()}
    attributes |= {name: {"version": version(value)} for name, value in versions.items()}
    memory = re.match("[0-9]+", gpu.findtext("fb_memory_usage/total")).group()
    return {"name": f"gpu-{gpu.findtext('minor_number')}", "attributes": attributes, "capacity": {"memory": {"value": f"{memory}Mi"}}}


def main():
    first, count = (int(number) for number in sys.argv[1:3] or (0, 1 << 20))
    log = xml.fromstring(ask("-q", "-x"))
    capabilities = dict(line.split(", ") for line in ask("--query-gpu=uuid,compute_cap", "--format=csv,noheader").splitlines())
    gpus = log.findall("gpu")[first:first + count]
    print(json.dumps([device(gpu, log, capabilities[gpu.findtext("uuid")]) for gpu in gpus], indent=2))


if __name__ == "__main__":
    main()
