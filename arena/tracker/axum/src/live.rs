//! What happens, as it happens.
use std::convert::Infallible;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::Response;
use futures::{Stream, StreamExt};
use tokio_stream::wrappers::BroadcastStream;

use crate::accounts::User;
use crate::error::Fault;
use crate::events::Event;
use crate::state::App;

fn told(event: &Event) -> SseEvent {
    SseEvent::default()
        .event("issue")
        .id(event.id.to_string())
        .json_data(event)
        .unwrap_or_default()
}

#[utoipa::path(get, path = "/api/events", responses((status = 200, content_type = "text/event-stream"), (status = 401)))]
pub async fn events(
    State(app): State<App>,
    _: User,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<SseEvent, Infallible>>>, Fault> {
    let news = BroadcastStream::new(app.news.subscribe());
    let last: Option<i64> = headers
        .get("last-event-id")
        .and_then(|v| v.to_str().ok())
        .and_then(|v| v.parse().ok());
    let missed: Vec<Event> =
        match last {
            Some(id) => sqlx::query_as(
                "select id, kind, issue_id, by from events where id > $1 order by id limit 1000",
            )
            .bind(id)
            .fetch_all(&app.db)
            .await?,
            None => vec![],
        };
    let seen = missed.last().map_or(0, |e| e.id);
    let later = news
        .take_while(|e| futures::future::ready(e.is_ok()))
        .filter_map(move |e| futures::future::ready(e.ok().filter(|e| e.id > seen)));
    let ending = app.ending.clone();
    let all = futures::stream::iter(missed)
        .chain(later)
        .map(|e| Ok(told(&e)))
        .take_until(async move { ending.cancelled().await });
    Ok(Sse::new(all).keep_alive(KeepAlive::default()))
}

#[utoipa::path(get, path = "/api/live", responses((status = 101), (status = 401)))]
pub async fn push(State(app): State<App>, _: User, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(move |socket| send(app, socket))
}

async fn send(app: App, mut socket: WebSocket) {
    let mut news = app.news.subscribe();
    loop {
        tokio::select! {
            event = news.recv() => {
                let Ok(text) = event.map(|e| serde_json::to_string(&e).unwrap_or_default()) else { return };
                if socket.send(Message::Text(text.into())).await.is_err() {
                    return;
                }
            }
            message = socket.recv() => if !matches!(message, Some(Ok(_))) { return },
            () = app.ending.cancelled() => return,
        }
    }
}
