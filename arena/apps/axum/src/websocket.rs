//! WebSockets: every message comes back, as axum's documentation writes it.

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::any;
use axum::Router;

async fn answer_all(mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.recv().await {
        let is_data = matches!(message, Message::Text(_) | Message::Binary(_));
        // Pings and the close are answered by the library.
        if is_data && socket.send(message).await.is_err() {
            return;
        }
    }
}

async fn echo(upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(answer_all)
}

pub fn router() -> Router {
    Router::new().route("/ws", any(echo))
}
