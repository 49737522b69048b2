//! The measuring service on axum: PORT THREADS DELAY_MS [--routes N] [--middlewares N] [--checked]
//! [--profiles FOLDER] [--database WHERE --database-connections N].

mod database;
mod options;
mod orders;
mod profiles;
mod websocket;

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::extract::{Path, Request};
use axum::http::header::{HeaderName, CONTENT_TYPE};
use axum::middleware::{from_fn, Next};
use axum::response::{Html, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use options::Options;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{signal, SignalKind};

const BACKLOG: u32 = 4096;
const STOP_LIMIT: Duration = Duration::from_secs(3);

type TypedText = ([(HeaderName, &'static str); 1], &'static str);

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

fn plain(text: &'static str) -> TypedText {
    ([(CONTENT_TYPE, "text/plain")], text)
}

async fn hello() -> TypedText {
    plain("Hello, World!")
}

async fn json() -> Json<Message> {
    Json(Message {
        message: "Hello, World!",
    })
}

async fn label(Path(label): Path<String>) -> String {
    label
}

async fn user_post(Path((id, post)): Path<(i32, i32)>) -> String {
    format!("{id} {post}")
}

async fn company(Path((id, item)): Path<(i32, i32)>) -> String {
    (id + item).to_string()
}

/// The body back with `"reply":"received"` in it.
fn reply_to(mut body: Map<String, Value>) -> Json<Map<String, Value>> {
    body.insert("reply".to_owned(), Value::from("received"));
    Json(body)
}

async fn reply(delay: Duration, body: Map<String, Value>) -> Json<Map<String, Value>> {
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    reply_to(body)
}

async fn reply_blocking(delay: Duration, body: Map<String, Value>) -> Json<Map<String, Value>> {
    let slept = tokio::task::spawn_blocking(move || {
        std::thread::sleep(delay);
        reply_to(body)
    });
    slept.await.expect("a sleep does not fail")
}

/// A middleware that does no more than look at the path.
async fn reads_path(request: Request, next: Next) -> Response {
    std::hint::black_box(request.uri().path().len());
    next.run(request).await
}

fn bytes(size: usize) -> axum::routing::MethodRouter {
    let content: &'static [u8] = vec![b'x'; size].leak();
    get(move || async move { content })
}

fn router(options: &Options) -> Router {
    let delay = options.delay;
    let mut router = Router::new()
        .route("/plaintext", get(hello))
        .route("/simple", get(hello))
        .route("/bench", get(hello))
        .route("/json", get(json))
        .route("/html", get(|| async { Html("<p>Hello, world!</p>") }))
        .route("/test/status", get(|| async { plain("OK") }))
        .route("/test/labels/{label}", get(label))
        .route("/test", post(move |Json(body)| reply(delay, body)))
        .route(
            "/test/blocking",
            post(move |Json(body)| reply_blocking(delay, body)),
        )
        .route("/users/{id}/posts/{pid}", get(user_post))
        .merge(orders::plain())
        .merge(profiles::uploads())
        .merge(websocket::router());
    for size in [1024, 65536, 1048576] {
        router = router.route(&format!("/bytes/{size}"), bytes(size));
    }
    for i in 0..options.routes {
        router = router.route(&format!("/area{i}/{{id}}/item{i}/{{item}}"), get(company));
    }
    for _ in 0..options.middlewares {
        router = router.layer(from_fn(reads_path));
    }
    router
}

fn listen(port: u16) -> std::io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)))?;
    socket.listen(BACKLOG)
}

async fn until_told() {
    let mut terminate = signal(SignalKind::terminate()).expect("signals can be watched");
    terminate.recv().await;
}

async fn serve(options: Options) -> std::io::Result<()> {
    let listener = listen(options.port)?.tap_io(|stream| {
        // A connection that ended already cannot be set up any more, and needs it no more.
        let _ = stream.set_nodelay(true);
    });
    // Made once: a bare router is made anew for every connection, which costs memory by its routes.
    let mut router = router(&options);
    if let Some(place) = &options.database {
        router = router.merge(database::router(place, options.database_connections).await);
    }
    if let Some(folder) = &options.profiles {
        router = router.merge(profiles::router(folder));
    }
    if options.is_checked {
        let service = router.merge(orders::checked());
        let service = service.into_make_service_with_connect_info::<SocketAddr>();
        let served = axum::serve(listener, service).with_graceful_shutdown(until_told());
        return until_stopped(async { served.await }).await;
    }
    let served = axum::serve(listener, router.into_make_service());
    let served = served.with_graceful_shutdown(until_told());
    until_stopped(async { served.await }).await
}

async fn until_stopped(
    served: impl std::future::Future<Output = std::io::Result<()>>,
) -> std::io::Result<()> {
    tokio::select! {
        result = served => result,
        () = async { until_told().await; tokio::time::sleep(STOP_LIMIT).await } => Ok(()),
    }
}

fn main() -> std::io::Result<()> {
    let options = Options::from_arguments();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(options.threads)
        .enable_all()
        .build()?;
    // Spawned, so that the main thread only waits and accepting is one worker's work too.
    runtime.block_on(async {
        tokio::spawn(serve(options))
            .await
            .expect("serving does not panic")
    })
}
