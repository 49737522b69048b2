//! WebSockets by actix-ws: every message comes back.

use actix_web::web::Payload;
use actix_web::{rt, Error, HttpRequest, HttpResponse};
use actix_ws::{AggregatedMessage, AggregatedMessageStream, Session};

async fn answer_all(mut session: Session, mut messages: AggregatedMessageStream) {
    while let Some(Ok(message)) = messages.recv().await {
        let sent = match message {
            AggregatedMessage::Text(text) => session.text(text).await,
            AggregatedMessage::Binary(bytes) => session.binary(bytes).await,
            AggregatedMessage::Ping(bytes) => session.pong(&bytes).await,
            AggregatedMessage::Pong(_) => Ok(()),
            AggregatedMessage::Close(reason) => {
                let _ = session.close(reason).await;
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
    let _ = session.close(None).await;
}

pub async fn echo(request: HttpRequest, body: Payload) -> Result<HttpResponse, Error> {
    let (response, session, messages) = actix_ws::handle(&request, body)?;
    rt::spawn(answer_all(session, messages.aggregate_continuations()));
    Ok(response)
}
