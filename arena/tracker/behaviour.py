#!/usr/bin/env python3
"""Tests all functions of a tracker, independent of its implementation.

usage: behaviour.py [--only NAME] -- COMMAND...      {port} and {folder} stand for those of the run

The command is started with its own database, folder for uploads, webhook and origin. It gets them
in TRACKER_DATABASE, TRACKER_UPLOADS, TRACKER_WEBHOOK (with _SECRET) and TRACKER_ADMIN, and in a
file that TRACKER_CONFIG names. Each check is a function. Formats of errors depend on the framework;
status codes and member names do not.
"""

import argparse
import concurrent.futures
import hashlib
import hmac
import html
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import httpx
import websockets.sync.client

ORIGIN = "https://board.example"
CHECKS = []
PASSWORD = "correct horse battery"
HOOK_SECRET = "a secret of the hook's"


def check(function):
    CHECKS.append(function)
    return function


def expect(condition, what):
    if not condition:
        raise AssertionError(str(what)[:600])


def expect_status(reply, *statuses):
    expect(
        reply.status_code in statuses,
        f"{reply.request.method} {reply.request.url.path}: "
        f"{reply.status_code}, not {statuses}: {reply.text[:400]}",
    )
    return reply


def until(predicate, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := predicate():
            return value
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s: {predicate.__doc__ or predicate}")


class Hook(http.server.BaseHTTPRequestHandler):
    """Receives webhooks; rejects the first call, so that it must be repeated. Signatures are
    optional, but must be correct.
    """

    taken, refused, forged = [], [], []

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        signature = self.headers.get("X-Hub-Signature-256")
        code = hmac.new(HOOK_SECRET.encode(), body, hashlib.sha256).hexdigest()
        if signature is not None and signature != "sha256=" + code:
            Hook.forged.append(signature)
        list_ = Hook.taken if Hook.refused else Hook.refused
        list_.append(json.loads(body))
        self.send_response(204 if list_ is Hook.taken else 503)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server:
    def __init__(self, command, folder):
        self.folder = pathlib.Path(folder)
        self.hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
        threading.Thread(target=self.hook.serve_forever, daemon=True).start()
        (self.folder / "uploads").mkdir()
        (self.folder / "tracker.toml").write_text(
            f'origins = ["{ORIGIN}"]\nwebhook = "http://127.0.0.1:1/unused"\n'
        )
        (self.folder / "tracker.json").write_text(
            json.dumps({"custom_config": {"origins": [ORIGIN]}})  # for trackers that read no TOML
        )
        self.command = command
        self.log = open(self.folder / "log", "wb")
        self.start()

    def start(self, **settings):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        environment = dict(
            os.environ,
            TRACKER_CONFIG=str(self.folder / "tracker.toml"),
            TRACKER_PORT=str(self.port),
            TRACKER_DATABASE=str(self.folder / "tracker.db"),
            TRACKER_UPLOADS=str(self.folder / "uploads"),
            TRACKER_WEBHOOK_SECRET=HOOK_SECRET,
            TRACKER_WEBHOOK=f"http://127.0.0.1:{self.hook.server_port}/hook",
            **settings,
        )
        words = [
            w.replace("{port}", str(self.port)).replace("{folder}", str(self.folder))
            for w in self.command
        ]
        self.cookies = {}
        self.process = subprocess.Popen(words, env=environment, stdout=self.log, stderr=self.log)
        self.url = f"http://127.0.0.1:{self.port}"

        def answers():
            """the server answers"""
            expect(self.process.poll() is None, "the server has ended: " + self.log_text()[-500:])
            try:
                return httpx.get(self.url + "/health").status_code in (200, 204)
            except httpx.TransportError:
                return False

        until(answers, 30)

    def stop(self, signal_=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(signal_)
        return self.process.wait(20)

    def log_text(self):
        return (self.folder / "log").read_text(errors="replace")

    def client(self, name=None):
        """Returns a browser of a logged-in user; each logs in once, because logins are limited."""
        client = httpx.Client(base_url=self.url, timeout=30)
        if name in self.cookies:
            client.cookies = httpx.Cookies(self.cookies[name])
        elif name:
            expect_status(client.post("/api/login", json={"name": name, "password": PASSWORD}), 200)
            self.cookies[name] = client.cookies
        return client


def new_issue(client, **values):
    return expect_status(
        client.post("/api/issues", json={"title": "Spelling", **values}), 201
    ).json()


@check
def signs_up_and_logs_in(server):
    client = server.client()
    expect_status(client.get("/api/me"), 401)
    expect_status(
        client.post(
            "/api/signup", json={"name": "ann", "email": "ann@example.org", "password": PASSWORD}
        ),
        201,
    )
    for name in "bob", "vic":
        made = client.post(
            "/api/signup", json={"name": name, "email": f"{name}@example.org", "password": PASSWORD}
        )
        expect(expect_status(made, 201).json()["role"] == "member", made.text)
    expect_status(
        client.post(
            "/api/signup", json={"name": "bob", "email": "b@example.org", "password": PASSWORD}
        ),
        409,
    )
    for wrong, member in (
        ({"email": "nowhere"}, "email"),
        ({"name": "Not this"}, "name"),
        ({"password": "short"}, "password"),
        ({"age": 5}, "age"),
    ):
        told = {"name": "carl", "email": "c@example.org", "password": PASSWORD, **wrong}
        reply = expect_status(client.post("/api/signup", json=told), 422)
        expect(member in reply.text, reply.text)
    expect_status(
        client.post("/api/login", json={"name": "ann", "password": "wrong password"}), 401
    )
    expect_status(
        client.post("/api/login", json={"name": "nobody", "password": "wrong password"}), 401
    )
    expect_status(client.post("/api/login", json={"name": "ann", "password": PASSWORD}), 200)
    expect(client.get("/api/me").json()["name"] == "ann", "me")
    cookie = client.cookies.jar._cookies  # as the server has set it
    expect("httponly" in str(cookie).lower(), cookie)
    expect_status(client.post("/api/logout"), 204)
    expect_status(client.get("/api/me"), 401)
    # An administrator is the first registered user, or one that the operator names at startup.
    server.stop()
    server.start(TRACKER_ADMIN="ann")
    expect(server.client("ann").get("/api/me").json()["role"] == "admin", "no administrator")


@check
def keeps_roles(server):
    ann, bob, vic = server.client("ann"), server.client("bob"), server.client("vic")
    vic_id = vic.get("/api/me").json()["id"]
    expect_status(bob.put(f"/api/users/{vic_id}/role", json={"role": "viewer"}), 403)
    expect_status(ann.put(f"/api/users/{vic_id}/role", json={"role": "viewer"}), 200, 204)
    expect_status(ann.put(f"/api/users/{vic_id}/role", json={"role": "king"}), 422, 400)
    expect_status(ann.put("/api/users/999/role", json={"role": "viewer"}), 404)
    expect_status(vic.post("/api/issues", json={"title": "x"}), 403)
    expect_status(vic.get("/api/issues"), 200)
    issue = new_issue(bob)
    expect_status(bob.delete(f"/api/issues/{issue['id']}"), 403)
    expect_status(ann.delete(f"/api/issues/{issue['id']}"), 204)
    expect_status(ann.get(f"/api/issues/{issue['id']}"), 404)
    expect_status(server.client().get("/api/issues"), 401)


@check
def makes_and_changes_issues(server):
    ann = server.client("ann")
    reply = expect_status(
        ann.post(
            "/api/issues",
            json={
                "title": "Spelling",
                "body": "two ls",
                "priority": 4,
                "labels": ["docs", "easy"],
                "assignee_id": None,
            },
        ),
        201,
    )
    issue = reply.json()
    expect(reply.headers["location"].endswith(f"/api/issues/{issue['id']}"), reply.headers)
    expect(
        {
            "title": "Spelling",
            "body": "two ls",
            "priority": 4,
            "labels": ["docs", "easy"],
            "state": "open",
            "assignee_id": None,
            "author": "ann",
            "version": 1,
        }.items()
        <= {"assignee_id": None, **issue}.items(),
        issue,
    )
    path = f"/api/issues/{issue['id']}"
    me = ann.get("/api/me").json()["id"]
    changed = expect_status(
        ann.patch(path, json={"version": 1, "state": "closed", "assignee_id": me}), 200
    ).json()
    expect(
        (changed["version"], changed["state"], changed["assignee_id"]) == (2, "closed", me), changed
    )
    expect_status(ann.patch(path, json={"version": 1, "title": "late"}), 409)
    changed = expect_status(ann.patch(path, json={"version": 2, "title": "Grammar"}), 200).json()
    expect((changed["title"], changed["assignee_id"]) == ("Grammar", me), changed)
    changed = expect_status(ann.patch(path, json={"version": 3, "assignee_id": None}), 200).json()
    expect(changed.get("assignee_id") is None, changed)
    expect_status(ann.patch(path, json={"version": 4, "assignee_id": 999}), 409, 422)
    expect_status(ann.patch("/api/issues/999999", json={"version": 1}), 404)
    expect_status(ann.get("/api/issues/abc"), 400, 404, 422)


@check
def refuses_what_is_wrong(server):
    ann = server.client("ann")
    for wrong, member in (
        ({"title": ""}, "title"),
        ({"title": "x" * 201}, "title"),
        ({"priority": 6}, "priority"),
        ({"priority": "high"}, "priority"),
        ({"labels": ["a", "a"]}, "labels"),
        ({"labels": ["a"] * 1 + [str(i) for i in range(10)]}, "labels"),
        ({"colour": "red"}, "colour"),
    ):
        reply = expect_status(ann.post("/api/issues", json={"title": "x", **wrong}), 422, 400)
        expect(member in reply.text, reply.text)
    expect("title" in expect_status(ann.post("/api/issues", json={}), 422, 400).text, "missing")
    json_type = {"Content-Type": "application/json"}
    for content in b"{", b"", b"[" * 100_000, b'{"title":"\xff"}', b"null":
        expect_status(ann.post("/api/issues", content=content, headers=json_type), 400, 422)
    expect_status(
        ann.post("/api/issues", content=b'{"title":"x"}', headers={"Content-Type": "text/plain"}),
        415,
        422,
    )
    expect_status(ann.put("/api/issues"), 405)
    expect_status(ann.get("/nowhere"), 404)


@check
def filters_searches_sorts_and_pages(server):
    ann = server.client("ann")
    for number in range(7):
        new_issue(ann, title=f"needle {number}", priority=number % 5 + 1)
    page = expect_status(
        ann.get("/api/issues", params={"q": "needle", "sort": "title", "per_page": 3}), 200
    ).json()
    expect([i["title"] for i in page["items"]] == ["needle 0", "needle 1", "needle 2"], page)
    expect((page["total"], page["page"], page["pages"]) == (7, 1, 3), page)
    last = ann.get(
        "/api/issues", params={"q": "needle", "sort": "-title", "per_page": 3, "page": 3}
    ).json()
    expect([i["title"] for i in last["items"]] == ["needle 0"], last)
    top = ann.get("/api/issues", params={"q": "needle", "priority": 5, "state": "open"}).json()
    expect([i["title"] for i in top["items"]] == ["needle 4"], top)
    expect(
        ann.get("/api/issues", params={"q": "needle", "state": "closed"}).json()["total"] == 0,
        "closed",
    )
    expect(ann.get("/api/issues", params={"q": "100%_"}).json()["total"] == 0, "wildcards are text")
    order = ann.get("/api/issues", params={"q": "needle", "sort": "-priority"}).json()["items"]
    expect(order[0]["priority"] == 5 and order[-1]["priority"] == 1, order)
    for wrong in (
        {"sort": "colour"},
        {"page": 0},
        {"per_page": 1000},
        {"state": "ajar"},
        {"priority": "x"},
    ):
        expect_status(ann.get("/api/issues", params=wrong), 400, 422)


@check
def loses_no_update(server):
    ann = server.client("ann")
    path = f"/api/issues/{new_issue(ann, title='0')['id']}"

    def add_one(_):
        client, done = server.client("ann"), 0
        while done < 8:
            now = client.get(path).json()
            done += (
                client.patch(
                    path, json={"version": now["version"], "title": str(int(now["title"]) + 1)}
                ).status_code
                == 200
            )

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(add_one, range(4)))
    now = ann.get(path).json()
    expect((now["title"], now["version"]) == ("32", 33), now)


@check
def takes_and_gives_attachments(server):
    ann = server.client("ann")
    issue = new_issue(ann)
    path = f"/api/issues/{issue['id']}/attachments"
    data = hashlib.shake_256(b"tracker").digest(40_000_000)
    made = expect_status(
        ann.post(path, files={"file": ("../a plan.pdf", data, "application/pdf")}), 201
    ).json()
    expect(
        made["size"] == len(data) and "/" not in made["name"] and made["name"].endswith("plan.pdf"),
        made,
    )
    expect([a["id"] for a in ann.get(path).json()] == [made["id"]], "list")
    where = f"/api/attachments/{made['id']}"
    whole = expect_status(ann.get(where), 200)
    expect(hashlib.sha256(whole.content).digest() == hashlib.sha256(data).digest(), "other bytes")
    expect(
        "attachment" in whole.headers["content-disposition"]
        and "plan.pdf" in whole.headers["content-disposition"],
        whole.headers,
    )
    part = expect_status(ann.get(where, headers={"Range": "bytes=39999990-"}), 206)
    expect(
        part.content == data[-10:]
        and part.headers["content-range"] == "bytes 39999990-39999999/40000000",
        part.headers,
    )
    expect_status(ann.get(where, headers={"Range": "bytes=40000000-"}), 416)
    expect_status(server.client().get(where), 401)
    expect_status(ann.get("/api/attachments/9999"), 404)
    expect_status(ann.post("/api/issues/9999/attachments", files={"file": ("x", b"x")}), 404)
    expect_status(server.client("vic").post(path, files={"file": ("x", b"x")}), 403)
    try:
        expect_status(ann.post(path, files={"file": ("big", b"\0" * 60_000_000)}), 413)
    except httpx.TransportError:
        pass  # rejected after the headers, and closed before all was sent
    expect(len(ann.get(path).json()) == 1, "too large, and kept")
    expect(len(list((server.folder / "uploads").iterdir())) == 1, "left behind")


def read_events(server, count, headers=()):
    """Returns the IDs and data of `count` events of the stream."""
    client, events, event = server.client("ann"), [], {}
    with client.stream("GET", "/api/events", headers=dict(headers), timeout=15) as reply:
        expect(
            reply.status_code == 200
            and reply.headers["content-type"].startswith("text/event-stream"),
            reply.headers,
        )
        for line in reply.iter_lines():
            name, _, value = line.partition(":")
            if not line and "data" in event:
                events.append((int(event["id"]), json.loads(event["data"])))
                event = {}
            elif name:
                event[name] = value.strip()
            if len(events) == count:
                return events
    raise AssertionError(f"the stream ended with {events}")


@check
def tells_what_happens(server):
    ann = server.client("ann")
    expect_status(server.client().get("/api/events"), 401)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        coming = pool.submit(read_events, server, 2)
        time.sleep(1)
        issue = new_issue(ann, title="news")
        ann.patch(f"/api/issues/{issue['id']}", json={"version": 1, "state": "closed"})
        (first, made), (second, changed) = coming.result(20)
    expect((made["kind"], made["issue_id"], made["by"]) == ("created", issue["id"], "ann"), made)
    expect(
        (changed["kind"], changed["issue_id"]) == ("changed", issue["id"]) and second > first,
        changed,
    )
    again = read_events(server, 1, {"Last-Event-ID": str(first)})
    expect(again == [(second, changed)], again)


@check
def pushes_by_websocket(server):
    ann = server.client("ann")
    cookie = "; ".join(f"{c.name}={c.value}" for c in ann.cookies.jar)
    url = server.url.replace("http", "ws", 1) + "/api/live"
    try:
        with websockets.sync.client.connect(url) as stranger:
            stranger.recv(5)
        raise AssertionError("a stranger got in")
    except (websockets.exceptions.InvalidStatus, websockets.exceptions.ConnectionClosed):
        pass
    with websockets.sync.client.connect(url, additional_headers={"Cookie": cookie}) as socket_:
        time.sleep(0.3)
        issue = new_issue(ann, title="push")
        told = json.loads(socket_.recv(10))
        expect((told["kind"], told["issue_id"]) == ("created", issue["id"]), told)


@check
def calls_the_webhook_until_it_answers(server):
    issue = new_issue(server.client("ann"), title="hook")

    def told():
        """the webhook has been told of all, that which it refused too"""
        kinds = [(t["kind"], t["issue_id"]) for t in Hook.taken]
        refused = {(t["kind"], t["issue_id"]) for t in Hook.refused}
        return ("created", issue["id"]) in kinds and refused <= set(kinds)

    until(told, 30)
    expect(len(Hook.refused) == 1, Hook.refused)
    expect(not Hook.forged, Hook.forged)


class Page:
    """The forms of a page, as in a browser."""

    def __init__(self, reply):
        self.text = reply.text
        expect(reply.headers["content-type"].startswith("text/html"), reply.headers)
        self.shown = html.unescape(self.text)

    def form(self, action, **values):
        found = re.search(
            rf'<form[^>]*action="{re.escape(action)}"[^>]*>(.*?)</form>', self.text, re.S
        )
        expect(found, f"no form to {action}: {self.text[:500]}")
        hidden = {}
        for tag in re.findall(r"<input[^>]*>", found[1]):
            given = dict(re.findall(r'([a-z-]+)="([^"]*)"', tag))
            if given.get("type") == "hidden":
                hidden[given["name"]] = html.unescape(given.get("value", ""))
        return {**hidden, **values}


def log_in_by_page(server):
    client = server.client()
    page = Page(expect_status(client.get("/login"), 200))
    reply = client.post("/login", data=page.form("/login", name="bob", password=PASSWORD))
    expect(expect_status(reply, 302, 303).headers["location"].endswith("/"), reply.headers)
    return client


@check
def shows_pages_with_forms(server):
    stranger = server.client()
    expect(
        "/login"
        in expect_status(stranger.get("/", headers={"Accept": "text/html"}), 302, 303, 307).headers[
            "location"
        ],
        "login",
    )
    page = Page(stranger.get("/login"))
    wrong = stranger.post("/login", data=page.form("/login", name="bob", password="wrong password"))
    expect("wrong" in Page(expect_status(wrong, 200, 400, 401, 422)).shown, wrong.text)
    bob = log_in_by_page(server)
    form = Page(expect_status(bob.get("/issues/new"), 200))
    back = expect_status(
        bob.post("/issues", data=form.form("/issues", title="", body="typed <b>", priority="2")),
        200,
        400,
        422,
    )
    expect(
        "typed <b>" in Page(back).shown and "typed <b>" not in back.text,
        "what was typed comes back, escaped",
    )
    made = expect_status(
        bob.post(
            "/issues",
            data=Page(back).form(
                "/issues", title="<script>alert(1)</script>", body="b", priority="2"
            ),
        ),
        302,
        303,
    )
    where = re.search(r"/issues/\d+$", made.headers["location"])[0]
    shown = Page(expect_status(bob.get(where), 200))
    expect(
        "<script>alert" not in shown.text and "<script>alert(1)</script>" in shown.shown,
        "unescaped",
    )
    stale = shown.form(where, title="Second", body="b", priority="3", state="open")
    expect_status(bob.post(where, data=stale), 302, 303)
    conflict = expect_status(bob.post(where, data={**stale, "title": "Third"}), 409, 422)
    expect("changed" in Page(conflict).shown, "conflict")
    expect("Second" in bob.get(where).text, "the stale one was kept")
    listed = Page(expect_status(bob.get("/", params={"q": "Second", "state": "open"}), 200))
    expect(where in listed.text and "needle" not in listed.text, listed.text)
    for number in range(25):
        new_issue(bob, title=f"one of many {number}")
    expect("page=2" in bob.get("/").text, "no further pages")
    expect_status(bob.get("/issues/99999"), 404)
    out = listed.form("/logout")
    expect_status(bob.post("/logout", data=out), 302, 303)
    expect_status(bob.get("/", headers={"Accept": "text/html"}), 302, 303, 307)


@check
def signs_up_by_page(server):
    client = server.client()
    page = Page(expect_status(client.get("/signup"), 200))
    wrong = client.post(
        "/signup", data=page.form("/signup", name="eve", email="none", password=PASSWORD)
    )
    expect("eve" in Page(expect_status(wrong, 200, 400, 422)).text, wrong.text)
    taken = client.post(
        "/signup", data=page.form("/signup", name="bob", email="e@example.org", password=PASSWORD)
    )
    expect("taken" in Page(expect_status(taken, 200, 400, 409, 422)).text, taken.text)
    made = client.post(
        "/signup", data=page.form("/signup", name="eve", email="e@example.org", password=PASSWORD)
    )
    expect_status(made, 302, 303)
    expect("eve" in client.get("/").text, "not logged in")


@check
def refuses_forms_of_other_sites(server):
    bob = log_in_by_page(server)
    before = bob.get("/api/issues").json()["total"]
    evil = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    expect_status(
        bob.post("/issues", data={"title": "forged", "body": "", "priority": "3"}, headers=evil),
        403,
        400,
    )
    expect_status(bob.post("/logout", data={}, headers=evil), 403, 400)
    expect(bob.get("/api/issues").json()["total"] == before, "forged")


@check
def lets_one_origin_read(server):
    ann = server.client("ann")
    asks = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "PATCH",
        "Access-Control-Request-Headers": "content-type",
    }
    reply = expect_status(ann.options("/api/issues/1", headers=asks), 200, 204)
    expect(reply.headers["access-control-allow-origin"] == ORIGIN, reply.headers)
    expect("PATCH" in reply.headers["access-control-allow-methods"], reply.headers)
    for path in "/api/issues", "/api/issues/99999":
        expect(
            ann.get(path, headers={"Origin": ORIGIN}).headers.get("access-control-allow-origin")
            == ORIGIN,
            path,
        )
    expect(
        server.client()
        .get("/api/me", headers={"Origin": ORIGIN})
        .headers.get("access-control-allow-origin")
        == ORIGIN,
        "401",
    )
    evil = ann.get("/api/issues", headers={"Origin": "https://evil.example"})
    expect("access-control-allow-origin" not in evil.headers, evil.headers)


@check
def names_logs_and_counts_requests(server):
    ann = server.client("ann")
    ids = [
        ann.get(path).headers["x-request-id"]
        for path in ("/api/issues/99999", "/nowhere", "/api/me")
    ]
    expect(len(set(ids)) == 3, ids)
    until(lambda: all(id_ in server.log_text() for id_ in ids), 5)
    metrics = expect_status(ann.get("/metrics"), 200).text
    expect(
        "/api/issues/{" in metrics and "# TYPE" in metrics and "issues/99999" not in metrics,
        [line for line in metrics.splitlines() if "issues" in line][:12],
    )


@check
def documents_itself(server):
    document = expect_status(server.client().get("/openapi.json"), 200).json()
    expect(document["openapi"].startswith("3."), document["openapi"])
    for path in ("/api/issues", "/api/signup", "/api/login", "/api/events"):
        expect(path in document["paths"], f"{path} is not in the document")
    expect(
        any(
            re.fullmatch(r"/api/issues/\{\w+\}", path) and "patch" in found
            for path, found in document["paths"].items()
        ),
        "patch",
    )
    text = json.dumps(document)
    expect('"maxLength": 200' in text and '"maximum": 5' in text, "no rules in the document")


@check
def limits_content(server):
    ann = server.client("ann")
    try:
        expect_status(ann.post("/api/issues", json={"title": "x", "body": "y" * 3_000_000}), 413)
    except httpx.TransportError:
        pass
    expect_status(ann.post("/api/issues", json={"title": "x", "body": "y" * 10_001}), 422, 400)


@check
def limits_logins(server):
    client = server.client()
    for _ in range(12):
        reply = client.post("/api/login", json={"name": "bob", "password": "wrong password"})
        if reply.status_code == 429:
            expect(int(reply.headers["retry-after"]) > 0, reply.headers)
            return
        expect_status(reply, 401)
    raise AssertionError("twelve wrong passwords, and no 429")


@check
def keeps_what_it_has_acknowledged(server):
    ann = server.client("ann")
    made = [new_issue(ann, title=f"kept {number}")["id"] for number in range(20)]
    server.stop(signal.SIGKILL)
    server.start()
    kept = (
        server.client("ann")
        .get("/api/issues", params={"q": "kept", "per_page": 100})
        .json()["items"]
    )
    expect(sorted(i["id"] for i in kept) == sorted(made), kept)


@check
def drains(server):
    stream = server.client("ann").stream("GET", "/api/events", timeout=30)
    with stream:
        began = time.monotonic()
        status = server.stop()
    expect(
        status in (0, -signal.SIGTERM) and time.monotonic() - began < 15,
        (status, time.monotonic() - began),
    )


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--only")
    options.add_argument("command", nargs="+")
    told = options.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="tracker-") as folder:
        server = Server(told.command, folder)
        try:
            for each in CHECKS:
                if told.only and each is not CHECKS[0] and told.only not in each.__name__:
                    continue
                try:
                    each(server)
                    print("passed ", each.__name__, flush=True)
                except (
                    Exception
                ) as error:  # after any error, the other checks are still useful
                    failed += 1
                    print("FAILED ", each.__name__, type(error).__name__, error, flush=True)
        finally:
            server.stop(signal.SIGKILL)
            if failed:
                print(server.log_text()[-3000:])
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
