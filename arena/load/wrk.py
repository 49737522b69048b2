"""wrk, the closed-loop generator: its command line and output.

Must not judge: errors are counted, not interpreted.
"""

import re
import tempfile
from dataclasses import dataclass

from load import outcome
from load.outcome import GeneratorFailed, Report
from verify.answers import type_of_body

NAME = "wrk"
HOST = "arena.example"  # the same for all contestants, so that the requests are equal
_TIMEOUT = "10s"
_files = {}

BODY_SCRIPT = """-- Sends content with each request.
wrk.method, wrk.body = "{method}", "{body}"
"""
MIX_SCRIPT = """-- Asks for one of several kinds by chance.
local kinds = {
KINDS
}
local total, last = 0, {}
for _, kind in ipairs(kinds) do total = total + kind[1] end
local function next_of(first)
  last[first] = (last[first] or tonumber(first) - 1) + 1
  return string.format("%d", last[first])
end
local function filled(text)
  text = text:gsub("{RAND:(%d+):(%d+)}", function(least, most)
    return tostring(math.random(tonumber(least), tonumber(most)))
  end)
  return (text:gsub("{SEQ:(%d+)}", next_of))
end
request = function()
  local at = math.random(total)
  for _, kind in ipairs(kinds) do
    at = at - kind[1]
    if at <= 0 then
      return wrk.format(kind[2], filled(kind[3]), nil, kind[4] and filled(kind[4]))
    end
  end
end
"""
TURNS_SCRIPT = """-- Asks for one kind after the other, each made once.
local kinds = {
KINDS
}
local made, at = {}, 0
init = function()
  for _, kind in ipairs(kinds) do
    local body = kind[5] > 0 and string.rep("x", kind[5]) or kind[4]
    local text = wrk.format(kind[2], kind[3], nil, body)
    for _ = 1, kind[1] do made[#made + 1] = text end
  end
end
request = function()
  at = at % #made + 1
  return made[at]
end
done = function(summary) io.write(string.format("Bytes read: %.0f\\n", summary.bytes)) end
"""
ALLOWED_SCRIPT = """-- Compares each body with the allowed ones; a strong ETag must name only one.
local paths = {
PATHS
}
local allowed, named, threads = {}, {}, {}
wrong, first = 0, ""
local function fail(what)
  wrong = wrong + 1
  if first == "" then first = what end
end
setup = function(thread) threads[#threads + 1] = thread end
init = function()
  for number, path in ipairs(paths) do
    local file = io.open(path, "rb")
    allowed[file:read("*a")] = number
    file:close()
  end
end
response = function(_, headers, body)
  local number, tag = allowed[body], headers["ETag"] or headers["Etag"] or headers["etag"]
  if not number then return fail("a body of " .. #body .. " bytes that is not allowed") end
  if not tag or tag:sub(1, 2) == "W/" then return end
  if named[tag] and named[tag] ~= number then return fail("one ETag for two bodies: " .. tag) end
  named[tag] = number
end
done = function()
  for _, thread in ipairs(threads) do
    local count = thread:get("wrong")
    if count > 0 then
      print("Wrong responses: " .. count .. ", the first has " .. thread:get("first"))
    end
  end
end
"""
PIPELINE_SCRIPT = """-- Sends the request {depth} times in one write.
local batch
init = function(args)
  batch = string.rep(wrk.format(), {depth})
end
request = function() return batch end
"""


@dataclass(frozen=True)
class Mixed:
    """One of several kinds of requests. In path and body, {RAND:1:9} is a random number, and
    {SEQ:5} the next one from 5 on.

    weight      relative frequency
    body_bytes  size of a generated body, if `body` is empty
    """
    weight: int
    path: str
    method: str = "GET"
    body: str = ""
    body_bytes: int = 0

    @property
    def has_body(self):
        """Whether the request has a body."""
        return bool(self.body or self.body_bytes)

    @property
    def is_by_chance(self):
        """Whether it contains random or sequential numbers."""
        return any(mark in self.path + self.body for mark in ("{RAND:", "{SEQ:"))


@dataclass
class Load:
    """The settings of a generator.

    depth      number of requests per write
    is_secure  with TLS
    body       of each request, JSON
    mix        Mixed requests instead of the path: in random order if one of them contains numbers,
               else in turn, so that none is created during the load
    allowed    bodies of the responses, each of which is compared; empty: they are not compared
    """
    path: str
    connections: int
    seconds: float
    headers: tuple = ()
    depth: int = 1
    is_secure: bool = False
    method: str = "GET"
    body: bytes = b""
    mix: tuple = ()
    allowed: tuple = ()


def can(_load):
    """wrk supports every closed loop."""
    return True


def _quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _mixed(mix):
    kinds = ",\n".join("  {%d, %s, %s, %s, %d}" % (
        one.weight, _quoted(one.method), _quoted(one.path),
        _quoted(one.body) if one.body else "nil", one.body_bytes) for one in mix)
    script = MIX_SCRIPT if any(one.is_by_chance for one in mix) else TURNS_SCRIPT
    return script.replace("KINDS", kinds)


def _script(load):
    """Returns Lua for settings without an option of wrk; "" if there are none."""
    text = _mixed(load.mix) if load.mix else ""
    if load.body and not load.mix:
        escaped = "".join(f"\\{byte:03}" for byte in load.body)
        text += BODY_SCRIPT.format(method=load.method, body=escaped)
    if load.allowed:
        paths = ",\n".join(f"  {_quoted(_path_of(body))}" for body in load.allowed)
        text += ALLOWED_SCRIPT.replace("PATHS", paths)
    return text + (PIPELINE_SCRIPT.format(depth=load.depth) if load.depth > 1 else "")


def _path_of(data):
    """Returns a file of these bytes, written once and removed at exit."""
    if data not in _files:
        file = tempfile.NamedTemporaryFile(prefix="eider_wrk_", suffix=".lua")
        file.write(data)
        file.flush()
        _files[data] = file
    return _files[data].name


def command(load, port, threads):
    """Returns the command line, which is the same for every contestant except for the port."""
    line = ["wrk", f"-t{min(threads, load.connections)}", f"-c{load.connections}",
            f"-d{max(1, round(load.seconds))}s", "--latency", "--timeout", _TIMEOUT,
            "-H", f"Host: {HOST}"]
    for header in load.headers:
        line += ["-H", header]
    if load.body or any(one.has_body for one in load.mix):
        line += [word for field in type_of_body(load.headers) for word in ("-H", field)]
    script = _script(load)
    if script:
        line += ["-s", _path_of(script.encode())]
    scheme = "https" if load.is_secure else "http"
    return line + [f"{scheme}://127.0.0.1:{port}{load.path}"]


def start(load, port, cores):
    """Starts wrk on `cores`, with one thread per core."""
    return outcome.start(command(load, port, len(cores)), cores)


def finish(process, seconds_max):
    """Waits for the end and returns the Report."""
    return outcome.finish(process, seconds_max, parse)


def parse(text):
    """Returns the Report in wrk's output; raises GeneratorFailed if there is none."""
    counted = outcome.number(text, r"(\d+) requests in")
    rate = outcome.number(text, r"Requests/sec:\s+([\d.]+)")
    if counted is None or rate is None or "cannot open" in text:
        raise GeneratorFailed("wrk said: " + text.strip()[:200])
    errors = [line.strip() for line in text.splitlines()
              if "Socket errors" in line or "Non-2xx" in line or "Wrong responses" in line]
    count = sum(int(number) for line in errors
                for number in re.findall(r"\b(\d+)\b", line.partition(", the first")[0]))
    latency = r"^\s+Latency\s+"
    return Report(int(counted), rate, _percentile_ms(text, 50), _percentile_ms(text, 99),
                  "; ".join(errors), outcome.duration_ms(text, latency),
                  _percentile_ms(text, 90), outcome.duration_ms(text, latency + r"\S+\s+\S+\s+"),
                  count, bytes_read=outcome.number(text, r"^Bytes read: (\d+)"))


def _percentile_ms(text, percent):
    """Returns nan also for 0.00us, which wrk prints if it has not measured."""
    return outcome.duration_ms(text, rf"^\s+{percent}%\s+") or outcome.NAN
