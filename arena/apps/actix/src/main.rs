//! The measuring service on actix-web: PORT THREADS DELAY_MS [--routes N] [--middlewares 0|5]
//! [--profiles FOLDER] [--database WHERE --database-connections N].

mod database;
mod options;
mod profiles;
mod websocket;

use std::ops::Range;
use std::time::Duration;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::{from_fn, Next};
use actix_web::web::{self, Bytes, Data, Html, Json, Path, ServiceConfig};
use actix_web::{App, Error, HttpResponse, HttpServer};
use arena_rows::Origin;
use options::Options;
use profiles::Profiles;
use serde::Serialize;
use serde_json::{Map, Value};

const BACKLOG: u32 = 4096;
const CONNECTIONS_MAX: usize = 20_000;
// actix's own default of 5 s would end the idle connections that other contestants keep.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
const STOP_SECONDS_MAX: u64 = 3;

#[derive(Clone, Copy)]
struct Delay(Duration);

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

async fn hello() -> &'static str {
    "Hello, World!"
}

async fn json() -> Json<Message> {
    Json(Message {
        message: "Hello, World!",
    })
}

async fn html() -> Html {
    Html::new("<p>Hello, world!</p>")
}

async fn status() -> &'static str {
    "OK"
}

async fn label(label: Path<String>) -> String {
    label.into_inner()
}

async fn user_post(path: Path<(i32, i32)>) -> String {
    let (id, post) = path.into_inner();
    format!("{id} {post}")
}

async fn company(path: Path<(i32, i32)>) -> String {
    let (id, item) = path.into_inner();
    (id + item).to_string()
}

/// The body back with `"reply":"received"` in it.
fn reply_to(mut body: Map<String, Value>) -> Json<Map<String, Value>> {
    body.insert("reply".to_owned(), Value::from("received"));
    Json(body)
}

async fn reply(delay: Data<Delay>, body: Json<Map<String, Value>>) -> Json<Map<String, Value>> {
    if !delay.0.is_zero() {
        actix_web::rt::time::sleep(delay.0).await;
    }
    reply_to(body.into_inner())
}

async fn reply_blocking(
    delay: Data<Delay>,
    body: Json<Map<String, Value>>,
) -> Result<Json<Map<String, Value>>, Error> {
    let slept = web::block(move || {
        std::thread::sleep(delay.0);
        reply_to(body.into_inner())
    });
    Ok(slept.await?)
}

/// A middleware that does no more than look at the path.
async fn reads_path(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    std::hint::black_box(request.path().len());
    next.call(request).await
}

fn add_bytes(config: &mut ServiceConfig, size: usize) {
    let content = Bytes::from(vec![b'x'; size]);
    let answer = move || {
        let content = content.clone();
        async move {
            HttpResponse::Ok()
                .content_type("application/octet-stream")
                .body(content)
        }
    };
    config.route(&format!("/bytes/{size}"), web::get().to(answer));
}

fn add_company(config: &mut ServiceConfig, numbers: Range<usize>) {
    for i in numbers {
        let path = format!("/area{i}/{{id}}/item{i}/{{item}}");
        config.route(&path, web::get().to(company));
    }
}

/// What is read or opened once, for all workers.
#[derive(Clone)]
struct Shared {
    origin: Option<Origin>,
    profiles: Option<Profiles>,
}

impl Shared {
    async fn open(options: &Options) -> Self {
        let origin = match &options.database {
            Some(place) => Some(Origin::open(place, options.database_connections).await),
            None => None,
        };
        Self {
            origin,
            profiles: options.profiles.as_deref().map(Profiles::open),
        }
    }
}

fn add_routes(config: &mut ServiceConfig, options: &Options, shared: &Shared) {
    config
        .app_data(Data::new(Delay(options.delay)))
        .route("/plaintext", web::get().to(hello))
        .route("/simple", web::get().to(hello))
        .route("/bench", web::get().to(hello))
        .route("/json", web::get().to(json))
        .route("/html", web::get().to(html))
        .route("/test/status", web::get().to(status))
        .route("/test/labels/{label}", web::get().to(label))
        .route("/test", web::post().to(reply))
        .route("/test/blocking", web::post().to(reply_blocking))
        .route("/upload", web::post().to(profiles::upload))
        .route("/ws", web::get().to(websocket::echo));
    // Routes are tried in the order of their adding: the measured one stands amid its company.
    add_company(config, 0..options.routes / 2);
    config.route("/users/{id}/posts/{pid}", web::get().to(user_post));
    add_company(config, options.routes / 2..options.routes);
    for size in [1024, 65536, 1048576] {
        add_bytes(config, size);
    }
    if let Some(origin) = &shared.origin {
        database::add_routes(config, origin);
    }
    if let Some(profiles) = &shared.profiles {
        profiles::add_routes(config, profiles);
    }
}

/// Runs the server with the settings of the measurement; a macro, as every App has a type of its own.
macro_rules! serve {
    ($options:expr, $app:expr) => {
        HttpServer::new($app)
            .workers($options.threads)
            .backlog(BACKLOG)
            .max_connections(CONNECTIONS_MAX)
            .keep_alive(KEEP_ALIVE)
            .tcp_nodelay(true)
            .shutdown_timeout(STOP_SECONDS_MAX)
            .bind(("0.0.0.0", $options.port))?
            .run()
            .await
    };
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let options = Options::from_arguments();
    let shared = Shared::open(&options).await;
    let given = options.clone();
    let routes = move |config: &mut ServiceConfig| add_routes(config, &given, &shared);
    if options.middlewares == 0 {
        return serve!(options, move || App::new().configure(&routes));
    }
    serve!(options, move || {
        App::new()
            .wrap(from_fn(reads_path))
            .wrap(from_fn(reads_path))
            .wrap(from_fn(reads_path))
            .wrap(from_fn(reads_path))
            .wrap(from_fn(reads_path))
            .configure(&routes)
    })
}
