"""Hosts as namespaces of Linux: each has its own network, processes, host name and shared memory, on one switch.

A host lives as long as its first process, and the kernel ends the rest with it: namespaces, links and programs. That
process in turn ends with this one, so nothing stays behind, however a test ends.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from tests.network_lock import network_changes
from tests.programs import ROOT

ENDS_WITH_US = ("setpriv", "--pdeathsig", "KILL")
NAMESPACES = ("--net", "--uts", "--ipc", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc")
# /dev/shm is shared otherwise, and with it the folders of counters, which a web process clears of unknown processes.
BOOT = 'hostname "$0" && mount -t tmpfs tmpfs /dev/shm && ip link set lo up && echo up && exec sleep infinity'
SWITCH, UPLINK = "lan", "uplink"


@cache
def missing() -> str:
    """Why this machine can't make hosts; '' if it can."""
    if lacks := [tool for tool in ("ip", "unshare", "nsenter", "setpriv") if not shutil.which(tool)]:
        return f"{', '.join(lacks)} not installed (iproute2, util-linux)"
    if os.geteuid():
        return "namespaces need root"
    tried = "ip link add tried0 type veth peer name tried1 && ip link add tried2 type bridge && test -c /dev/net/tun"
    done = subprocess.run(
        ["unshare", *NAMESPACES, "sh", "-c", tried], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    return f"no namespaces, bridges or taps: {done.stderr.strip()}" if done.returncode else ""


class Host:
    """A host named `name`; `address` is '' before it is plugged in."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.address, self.folder = name, "", folder / name
        self.folder.mkdir(mode=0o755)
        (self.folder / "log").touch()
        self.boot()

    def boot(self) -> None:
        command = [*ENDS_WITH_US, "unshare", *NAMESPACES, "sh", "-c", BOOT, self.name]
        self._outside = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self._outside.stdout
        assert self._outside.stdout.readline() == "up\n", f"{self.name} can't be made: {missing()}"
        self.pid = psutil.Process(self._outside.pid).children()[0].pid

    def kill(self) -> None:
        """Kill every process on it at once."""
        if self._outside.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
        self._outside.wait()

    def _inside(self, command: list[str]) -> list[str]:
        return ["nsenter", "--all", "--target", str(self.pid), "--wd=" + str(ROOT), *command]

    def start(self, *command: str, env: Mapping[str, str] = os.environ) -> subprocess.Popen:
        """Start a program, whose output goes to a log in the host's folder."""
        with (self.folder / "log").open("a") as log:
            return subprocess.Popen(self._inside([*command]), stdout=log, stderr=log, env=env)

    def run(self, *command: str, env: Mapping[str, str] = os.environ, timeout: float = 300) -> str:
        """Run a program to its end: its output; AssertionError with its errors if it failed."""
        how: Any = {"capture_output": True, "text": True, "timeout": timeout, "env": env}
        done = subprocess.run(self._inside([*command]), **how)
        assert done.returncode == 0, f"{self.name}: {' '.join(command)}: {done.stdout}{done.stderr}"
        return done.stdout

    def log(self) -> str:
        return (self.folder / "log").read_text()


class Network:
    """A switch with hosts, in the range for such tests (RFC 2544). This process is at `here`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.hosts = folder, list[Host]()
        numbers = ((os.getpid() + place) % 256 for place in range(256))  # beside other processes' networks
        number = next(one for one in numbers if not Path(f"/sys/class/net/hosts{one}").exists())
        self._range, self._uplink = f"198.18.{number}", f"hosts{number}"
        self.here, self.addresses = f"{self._range}.1", f"{self._range}.0/24"
        self.switch = Host(SWITCH, folder)
        self._ip("link", "add", SWITCH, "up", "type", "bridge")
        with network_changes():
            self._cable(UPLINK, self._uplink, os.getpid())
            subprocess.run(["ip", "addr", "add", f"{self.here}/24", "dev", self._uplink], check=True)
            subprocess.run(["ip", "link", "set", "dev", self._uplink, "up"], check=True)

    def _ip(self, *arguments: str) -> None:
        # In the switch's network only: numbers of processes are those of this machine.
        subprocess.run(["nsenter", "--net", "--target", str(self.switch.pid), "ip", *arguments], check=True)

    def _cable(self, port: str, device: str, pid: int) -> None:
        self._ip("link", "add", "name", port, "type", "veth", "peer", "name", device, "netns", str(pid))
        self._ip("link", "set", "dev", port, "master", SWITCH, "up")

    def add(self, name: str) -> Host:
        host = Host(name, self.folder)
        self.hosts.append(host)
        host.address = f"{self._range}.{len(self.hosts) + 1}"
        self._plug_in(host)
        return host

    def _plug_in(self, host: Host) -> None:
        self._cable(host.name, "eth0", host.pid)
        own = f"02:00:00:00:00:{int(host.address.rpartition('.')[2]):02x}"  # also after another boot
        host.run("sh", "-c", f"ip addr add {host.address}/24 dev eth0 && ip link set eth0 address {own} up")

    def cut(self, host: Host) -> None:
        """Lose whatever is sent to and by this host, which nobody is told."""
        self._ip("link", "set", "dev", host.name, "nomaster")

    def mend(self, host: Host) -> None:
        self._ip("link", "set", "dev", host.name, "master", SWITCH)

    def fail(self, host: Host) -> None:
        """Cut the host's power: its peers get no farewell from its connections."""
        self._ip("link", "del", "dev", host.name)
        host.kill()

    def boot(self, host: Host) -> None:
        """Start a host that failed; nothing runs on it yet."""
        host.boot()
        self._plug_in(host)

    def slow_down(self, host: Host, seconds: float) -> subprocess.Popen:
        """Delay each packet to and from the host by so many seconds until the returned process ends (`speed_up`)."""
        near, far = f"{host.name}-n", f"{host.name}-f"
        wire = [sys.executable, "-m", "tests.hosts.slow_wire", near, far, str(seconds)]
        inside = [*ENDS_WITH_US, "nsenter", "--net", "--target", str(self.switch.pid), *wire]
        process = subprocess.Popen(inside, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert process.stdout
        assert process.stdout.readline() == "up\n"
        self._ip("link", "add", f"{host.name}-b", "type", "bridge")
        for device, bridge in ((near, f"{host.name}-b"), (far, SWITCH), (host.name, f"{host.name}-b")):
            self._ip("link", "set", "dev", device, "master", bridge, "up")
        self._ip("link", "set", "dev", f"{host.name}-b", "up")
        return process

    def speed_up(self, host: Host, wire: subprocess.Popen) -> None:
        self.mend(host)
        wire.kill()
        wire.wait()
        self._ip("link", "del", f"{host.name}-b")

    def close(self) -> None:
        """End every host, at once; the kernel would do so when this process ends."""
        with network_changes():
            subprocess.run(["ip", "link", "del", "dev", self._uplink], check=False)  # before the kernel does, later
        for host in (*self.hosts, self.switch):
            host.kill()
