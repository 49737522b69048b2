//! The issue tracker on axum.
mod accounts;
mod attachments;
mod config;
mod error;
mod events;
mod issues;
mod live;
mod pages;
mod state;

use axum::http::{header, HeaderValue, Method, StatusCode};
use axum::{extract::DefaultBodyLimit, extract::State, routing::get, Json, Router};
use axum_prometheus::PrometheusMetricLayer;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::trace::TraceLayer;
use tower_sessions::{cookie::SameSite, Expiry, SessionManagerLayer};
use tower_sessions_sqlx_store::SqliteStore;
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, router::UtoipaMethodRouterExt, routes};

use crate::error::Fault;
use crate::state::App;

#[derive(OpenApi)]
#[openapi(info(title = "Tracker", version = "1.0.0"))]
struct Document;

async fn health(State(app): State<App>) -> Result<StatusCode, Fault> {
    sqlx::query("select 1").execute(&app.db).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn api() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(accounts::sign_up))
        .routes(routes!(accounts::log_in))
        .routes(routes!(accounts::log_out))
        .routes(routes!(accounts::me))
        .routes(routes!(accounts::set_role))
        .routes(routes!(issues::list, issues::create))
        .routes(routes!(issues::show, issues::change, issues::delete))
        .routes(routes!(attachments::list))
        .routes(routes!(attachments::attach).layer(DefaultBodyLimit::max(50 << 20)))
        .routes(routes!(attachments::download))
        .routes(routes!(live::events))
        .routes(routes!(live::push))
}

fn pages() -> Router<App> {
    Router::new()
        .route("/", get(pages::list))
        .route("/login", get(pages::login_page).post(pages::login))
        .route("/signup", get(pages::signup_page).post(pages::signup))
        .route("/logout", axum::routing::post(pages::logout))
        .route("/issues", axum::routing::post(pages::create))
        .route("/issues/new", get(pages::new_page))
        .route("/issues/{id}", get(pages::show).post(pages::edit))
}

fn cors(origins: &[String]) -> CorsLayer {
    let allowed: Vec<HeaderValue> = origins.iter().filter_map(|o| o.parse().ok()).collect();
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(allowed))
        .allow_methods([
            Method::GET,
            Method::POST,
            Method::PATCH,
            Method::PUT,
            Method::DELETE,
        ])
        .allow_headers([header::CONTENT_TYPE])
        .allow_credentials(true)
}

async fn ends(app: App) {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
        .expect("SIGTERM can be listened for");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    app.ending.cancel(); // streams would hold the drain up
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt()
        .json()
        .with_env_filter("info,sqlx=warn,tower_http=debug")
        .init();
    let config = config::read()?;
    std::fs::create_dir_all(&config.uploads)?;
    let connect = SqliteConnectOptions::new()
        .filename(&config.database)
        .create_if_missing(true)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(std::time::Duration::from_secs(5));
    let db = SqlitePoolOptions::new()
        .max_connections(5)
        .connect_with(connect)
        .await?;
    sqlx::migrate!().run(&db).await?;
    let store = SqliteStore::new(db.clone());
    store.migrate().await?;
    let sessions = SessionManagerLayer::new(store)
        .with_secure(false)
        .with_same_site(SameSite::Lax)
        .with_expiry(Expiry::OnInactivity(time::Duration::hours(12)));
    let app = App::new(db, config.clone());
    if let Some(url) = config.webhook.clone() {
        tokio::spawn(events::work_off_webhooks(app.clone(), url));
    }

    let (metrics, handle) = PrometheusMetricLayer::pair();
    let (api, document) = api().split_for_parts();
    let trace = TraceLayer::new_for_http().make_span_with(|request: &axum::http::Request<_>| {
        let id = request
            .headers()
            .get("x-request-id")
            .and_then(|v| v.to_str().ok())
            .unwrap_or("");
        tracing::info_span!("request", method = %request.method(), path = request.uri().path(), id)
    });
    let router = api
        .layer(cors(&config.origins))
        .merge(pages())
        .layer(sessions)
        .route("/openapi.json", get(|| async { Json(document) }))
        .route("/health", get(health))
        .route("/metrics", get(|| async move { handle.render() }))
        .layer(axum::middleware::from_fn(pages::refuse_other_sites))
        .layer(metrics)
        .layer(PropagateRequestIdLayer::x_request_id())
        .layer(trace)
        .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
        .with_state(app.clone());
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", config.port)).await?;
    axum::serve(
        listener,
        router.into_make_service_with_connect_info::<std::net::SocketAddr>(),
    )
    .with_graceful_shutdown(ends(app))
    .await?;
    Ok(())
}
