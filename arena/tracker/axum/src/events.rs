//! What happens is kept, pushed to who listens, and told to the webhook.
use std::time::Duration;

use serde::Serialize;
use sqlx::{Sqlite, Transaction};
use utoipa::ToSchema;

use crate::error::Fault;
use crate::state::App;

#[derive(Clone, Serialize, sqlx::FromRow, ToSchema)]
pub struct Event {
    pub id: i64,
    pub kind: String,
    pub issue_id: i64,
    pub by: String,
}

/// Commits what the transaction holds with the event of it, and tells who listens.
pub async fn commit_with(
    app: &App,
    mut all: Transaction<'_, Sqlite>,
    kind: &str,
    issue_id: i64,
    by: &str,
) -> Result<(), Fault> {
    let event: Event =
        sqlx::query_as("insert into events(kind, issue_id, by) values($1, $2, $3) returning id, kind, issue_id, by")
            .bind(kind)
            .bind(issue_id)
            .bind(by)
            .fetch_one(&mut *all)
            .await?;
    all.commit().await?;
    let _ = app.news.send(event); // nobody may be listening
    app.due.notify_one();
    Ok(())
}

async fn deliver(app: &App, client: &reqwest::Client, url: &str) -> anyhow::Result<bool> {
    let event: Option<Event> = sqlx::query_as(
        "select id, kind, issue_id, by from events where not is_delivered order by id limit 1",
    )
    .fetch_optional(&app.db)
    .await?;
    let Some(event) = event else { return Ok(false) };
    client
        .post(url)
        .header("X-Tracker-Event", event.id)
        .json(&event)
        .timeout(Duration::from_secs(10))
        .send()
        .await?
        .error_for_status()?;
    sqlx::query("update events set is_delivered = 1 where id = $1")
        .bind(event.id)
        .execute(&app.db)
        .await?;
    Ok(true)
}

pub async fn work_off_webhooks(app: App, url: String) {
    let client = reqwest::Client::new();
    let mut wait = Duration::from_secs(1);
    loop {
        match deliver(&app, &client, &url).await {
            Ok(true) => wait = Duration::from_secs(1),
            Ok(false) => app.due.notified().await,
            Err(error) => {
                tracing::warn!("webhook: {error:#}");
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(Duration::from_secs(300));
            }
        }
    }
}
