//! Asks one URL on so many kept connections by hyper: URL CONNECTIONS SECONDS BODY_BYTES.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Method, Request, Uri};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::task::LocalSet;

const OWED: &[u8] = b"Hello, World!";
const FRAME: &str = r#"{"text":""}"#;
const USAGE: &str = "usage: http://HOST:PORT/PATH CONNECTIONS SECONDS BODY_BYTES";

type Asker = Client<HttpConnector, Full<Bytes>>;

#[derive(Clone)]
struct Asking {
    uri: Uri,
    connections: usize,
    time: Duration,
    body: Bytes,
}

#[derive(Default)]
struct Tally {
    requests: u64,
    errors: u64,
    bytes: u64,
}

fn json_body(bytes: usize) -> Bytes {
    match bytes.checked_sub(FRAME.len()) {
        Some(rest) => format!(r#"{{"text":"{}"}}"#, "x".repeat(rest)).into(),
        None => Bytes::new(),
    }
}

fn parse() -> Option<Asking> {
    let words: Vec<String> = std::env::args().collect();
    let [_, url, connections, seconds, body_bytes] = words.as_slice() else {
        return None;
    };
    Some(Asking {
        uri: url.parse().ok()?,
        connections: connections.parse().ok()?,
        time: Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?,
        body: json_body(body_bytes.parse().ok()?),
    })
}

fn request(asking: &Asking) -> Request<Full<Bytes>> {
    let building = Request::builder().uri(asking.uri.clone());
    let building = if asking.body.is_empty() {
        building
    } else {
        building
            .method(Method::POST)
            .header("content-type", "application/json")
    };
    building
        .body(Full::new(asking.body.clone()))
        .expect("the request is right")
}

/// The length of a right answer; nothing of a wrong or a missing one.
async fn ask(client: &Asker, asking: &Asking) -> Option<usize> {
    let response = client.request(request(asking)).await.ok()?;
    let is_ok = response.status() == 200;
    let body = response.into_body().collect().await.ok()?.to_bytes();
    (is_ok && body == OWED).then_some(body.len())
}

/// One connection's worth of requests, one after the other.
async fn ask_until(client: Asker, asking: Asking, last: Instant, tally: Rc<RefCell<Tally>>) {
    loop {
        let answered = ask(&client, &asking).await;
        let mut counts = tally.borrow_mut();
        match answered {
            Some(bytes) => {
                counts.requests += 1;
                counts.bytes += bytes as u64;
            }
            None => counts.errors += 1,
        }
        drop(counts);
        if Instant::now() >= last {
            return;
        }
    }
}

async fn ask_side_by_side(asking: Asking) {
    let begin = Instant::now();
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client: Asker = Client::builder(TokioExecutor::new())
        .pool_max_idle_per_host(asking.connections)
        .build(connector);
    let tally = Rc::new(RefCell::new(Tally::default()));
    let last = begin + asking.time;
    let all = LocalSet::new();
    for _ in 0..asking.connections {
        all.spawn_local(ask_until(
            client.clone(),
            asking.clone(),
            last,
            tally.clone(),
        ));
    }
    all.await;
    let sum = tally.borrow();
    println!(
        "{{\"requests\":{},\"errors\":{},\"bytes\":{},\"seconds\":{:.6}}}",
        sum.requests,
        sum.errors,
        sum.bytes,
        begin.elapsed().as_secs_f64()
    );
}

fn main() {
    let Some(asking) = parse() else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .expect("a runtime can be made");
    runtime.block_on(ask_side_by_side(asking));
}
