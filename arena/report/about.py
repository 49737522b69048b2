"""One sentence about each experiment: its content and its publisher.

Must not contain a figure: figures come with the results.
"""

_SENTENCES = {
    "scalability": "A small constant answer at growing numbers of connections; published as a "
                   "comparison of Crow, lithium and Bun under bombardier.",
    "slow-work": "Ten clients, each opening a new connection for each of N requests, while the "
                 "work of a request takes t ms and C threads serve; published as a comparison of "
                 "REST libraries for C++.",
    "tail": "Throughput and tail latency at 800 connections with wrk; published with Vix.cpp.",
    "techempower": "The plaintext (pipelined 16 deep) and JSON tests of the TechEmpower "
                   "benchmarks.",
    "database": "The tests of the TechEmpower benchmarks that ask a database, PostgreSQL's own "
                "time told apart.",
    "items": "The profiles async-db and crud of HttpArena, which came after TechEmpower's "
             "benchmarks.",
    "nginx": "A small HTML answer with and without keep-alive, against nginx; published with "
             "Drogon, measured there with httpress.",
    "floor": "Against bare loops that parse nothing and send a constant answer: what HTTP itself "
             "costs on top. An experiment of Eider's own.",
    "churn": "A new connection for every request. An experiment of Eider's own.",
    "bodies": "Answers of 1 KiB, 64 KiB and 1 MiB. Asked for by the text that experiment 3 comes "
              "from.",
    "idle": "Memory of an idle keep-alive connection, in user space. An experiment of Eider's "
            "own.",
    "workers": "Threads against processes that fork beforehand; published with Cutelyst.",
    "open-loop": "Requests at a fixed rate whether or not answers come, latency counted from when "
                 "each was due, so that a stall is not left out (coordinated omission).",
    "orders": "What an application pays for types, for rules and for middleware, beside the best "
              "of FastAPI, axum and Drogon that do the same. An experiment of Eider's own.",
    "form": "A page with a signed session, a form and its token, beside a plain one. An experiment "
            "of Eider's own.",
    "files": "Files that lie in the page cache, beside nginx. An experiment of Eider's own.",
    "streaming": "A large answer that is made while it is sent, and a body that is summed as it "
                 "comes. An experiment of Eider's own.",
    "websocket": "Messages that come back, one message to many sockets, and the memory of sockets "
                 "that rest. An experiment of Eider's own.",
    "events": "Many streams of server-sent events at once. An experiment of Eider's own.",
    "http2": "HTTP/2 with few and many streams on few and many connections, beside the best of "
             "nginx, h2o and nghttpd. An experiment of Eider's own.",
    "tls": "Requests over TLS that was agreed upon, the agreement itself, anew and resumed, large "
           "answers and the memory of connections that rest, beside nginx. An experiment of "
           "Eider's own.",
    "proxy": "Requests that are passed on to another server, beside nginx in front of the same "
             "one. An experiment of Eider's own.",
    "client": "The other end of the wire: HTTP clients that keep their connections and compare "
              "every answer. An experiment of Eider's own.",
    "agree": "Two load generators on the same servers in the same rounds: what one says, the other "
             "must say too. An experiment of Eider's own.",
}


def sentence(experiment):
    """Returns the known sentence of the ID and the text of run.json; "" if there is neither."""
    return " ".join(part for part in (_SENTENCES.get(experiment.id, ""), experiment.about) if part)
