"""One sentence about each experiment: its content and its publisher.

Must not contain a figure: figures come with the results.
"""

_SENTENCES = {
    "scalability": "A small constant response at growing numbers of connections. Published as a "
                   "comparison of Crow, lithium and Bun with bombardier.",
    "slow-work": "Ten clients open a new connection for each of N requests. The work of a request "
                 "takes t ms, and the server has C threads. Published as a comparison of REST "
                 "libraries for C++.",
    "tail": "Throughput and tail latency at 800 connections with wrk. Published with Vix.cpp.",
    "techempower": "The plaintext (pipelined 16 deep) and JSON tests of the TechEmpower "
                   "benchmarks.",
    "database": "The tests of the TechEmpower benchmarks that query a database. The CPU time of "
                "PostgreSQL is reported separately.",
    "items": "The profiles async-db and crud of HttpArena, the successor of the TechEmpower "
             "benchmarks.",
    "nginx": "A small HTML response with and without keep-alive, compared with nginx. Published "
             "with Drogon, measured there with httpress.",
    "floor": "Compared with bare loops that parse nothing and send a constant response: the "
             "additional cost of HTTP. An experiment of this project.",
    "churn": "A new connection for every request. An experiment of this project.",
    "bodies": "Responses of 1 KiB, 64 KiB and 1 MiB, as the publisher of experiment 3 proposes.",
    "idle": "User-space memory of an idle keep-alive connection. An experiment of this project.",
    "workers": "Threads compared with forked processes. Published with Cutelyst.",
    "held": "A load on a few connections, while thousands of others are open and idle. An "
            "experiment of this project.",
    "open-loop": "Requests at a fixed rate, whether or not responses arrive. Latency counts from "
                 "the time at which a request was due, so stalls are included (coordinated "
                 "omission).",
    "orders": "The cost of types, validation rules and middleware, compared with the best of "
              "FastAPI, axum and Drogon. An experiment of this project.",
    "form": "A page with a signed session, a form and its token, compared with a plain page. An "
            "experiment of this project.",
    "files": "Files in the page cache, compared with nginx. An experiment of this project.",
    "changes": "Files and certificates that are replaced while a load runs. An experiment of this "
               "project.",
    "streaming": "A large response that is created while it is sent, and a request body that is "
                 "summed as it arrives. An experiment of this project.",
    "websocket": "Echoed messages, a broadcast to many sockets, and the memory of idle sockets. "
                 "An experiment of this project.",
    "events": "Many streams of server-sent events at once. An experiment of this project.",
    "http2": "HTTP/2 with few and many streams on few and many connections, compared with the "
             "best of nginx, h2o and nghttpd. An experiment of this project.",
    "tls": "Requests over TLS, new and resumed handshakes, large responses, and the memory of "
           "idle connections, compared with nginx. An experiment of this project.",
    "proxy": "Requests to a reverse proxy, compared with nginx in front of the same server. An "
             "experiment of this project.",
    "client": "HTTP clients with keep-alive connections that check every response. An experiment "
              "of this project.",
    "agree": "Two load generators on the same servers in the same rounds: they must report the "
             "same. An experiment of this project.",
}


def sentence(experiment):
    """Returns the known sentence of the ID and the text of run.json; "" if there is neither."""
    return " ".join(part for part in (_SENTENCES.get(experiment.id, ""), experiment.about) if part)
