//! The typed order: of types alone, and with rules behind five layers.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::error_handling::HandleErrorLayer;
use axum::extract::rejection::JsonRejection;
use axum::extract::{ConnectInfo, DefaultBodyLimit, FromRequest, Request, State};
use axum::http::header::{HeaderName, HeaderValue, RETRY_AFTER};
use axum::http::StatusCode;
use axum::middleware::{from_fn_with_state, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{BoxError, Json, Router};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use regex::Regex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tower::limit::GlobalConcurrencyLimitLayer;
use tower::ServiceBuilder;
use tower_http::csrf::CsrfLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::set_header::SetResponseHeaderLayer;
use uuid::Uuid;
use validator::{Validate, ValidationError, ValidationErrors};

const BODY_BYTES_MAX: usize = 1 << 20;
const NOBODY_IS_REFUSED: u32 = 1_000_000_000;
const EACH: Duration = Duration::from_nanos(60); // so many of them are a minute's

static RATE_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
static RATE_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");

static SKU: LazyLock<Regex> = LazyLock::new(|| Regex::new("^[a-z0-9-]+$").unwrap());
static POSTCODE: LazyLock<Regex> = LazyLock::new(|| Regex::new("^[0-9]{5}$").unwrap());

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainLine {
    #[serde(rename = "sku")]
    _sku: String,
    count: i64,
    cents: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // what is read and not asked for again is still typed
struct PlainOrder {
    id: String,
    name: String,
    mail: String,
    street: String,
    postcode: String,
    city: String,
    country: String,
    paid_with: String,
    tags: Vec<String>,
    note: Option<String>,
    is_gift: bool,
    lines: Vec<PlainLine>,
}

#[derive(Deserialize)]
enum Country {
    DE,
    AT,
    CH,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Paid {
    Card,
    Invoice,
}

#[derive(Deserialize, Serialize, Validate)]
#[serde(deny_unknown_fields)]
struct CheckedLine {
    #[validate(length(min = 1, max = 32), regex(path = *SKU))]
    sku: String,
    #[validate(range(min = 1, max = 1000))]
    count: i64,
    #[validate(range(min = 0, max = 10_000_000))]
    cents: i64,
}

#[derive(Deserialize, Validate)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct CheckedOrder {
    id: Uuid,
    #[validate(length(min = 1, max = 80))]
    name: String,
    #[validate(email)]
    mail: String,
    #[validate(length(min = 1, max = 120))]
    street: String,
    #[validate(regex(path = *POSTCODE))]
    postcode: String,
    #[validate(length(min = 1, max = 80))]
    city: String,
    country: Country,
    paid_with: Paid,
    #[validate(length(max = 8), custom(function = "unique"))]
    tags: Vec<String>,
    #[validate(length(max = 500))]
    note: Option<String>,
    is_gift: bool,
    #[validate(length(min = 1, max = 50), nested)]
    lines: Vec<CheckedLine>,
}

fn unique(values: &[String]) -> Result<(), ValidationError> {
    let mut seen = HashSet::with_capacity(values.len());
    if values.iter().all(|value| seen.insert(value)) {
        return Ok(());
    }
    Err(ValidationError::new("unique"))
}

#[derive(Serialize)]
struct Taken {
    name: String,
    lines: usize,
    cents: i64,
}

/// JSON whose rules hold, as axum's example "validator" writes it for forms.
struct Valid<T>(T);

enum Refusal {
    Unread(JsonRejection),
    Wrong(ValidationErrors),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Unread(why) => why.into_response(),
            Self::Wrong(faults) => (StatusCode::UNPROCESSABLE_ENTITY, Json(faults)).into_response(),
        }
    }
}

impl<T, S> FromRequest<S> for Valid<T>
where
    T: DeserializeOwned + Validate,
    S: Send + Sync,
{
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let Json(value) = Json::<T>::from_request(request, state)
            .await
            .map_err(Refusal::Unread)?;
        value.validate().map_err(Refusal::Wrong)?;
        Ok(Self(value))
    }
}

async fn take_plain(Json(order): Json<PlainOrder>) -> Json<Taken> {
    let cents = order.lines.iter().map(|line| line.count * line.cents);
    Json(Taken {
        lines: order.lines.len(),
        cents: cents.sum(),
        name: order.name,
    })
}

async fn take_checked(Valid(order): Valid<CheckedOrder>) -> Json<Taken> {
    let cents = order.lines.iter().map(|line| line.count * line.cents);
    Json(Taken {
        lines: order.lines.len(),
        cents: cents.sum(),
        name: order.name,
    })
}

fn always(name: &'static str, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::if_not_present(
        HeaderName::from_static(name),
        HeaderValue::from_static(value),
    )
}

type Rates =
    RateLimiter<IpAddr, DefaultKeyedStateStore<IpAddr>, DefaultClock, StateInformationMiddleware>;

/// By the peer's address. tower_governor does the same, but asks for axum with all its defaults,
/// which then every route pays for.
async fn limit_rate(
    State(rates): State<Arc<Rates>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let left = match rates.check_key(&peer.ip()) {
        Ok(left) => left.remaining_burst_capacity(),
        Err(early) => {
            let wait = early.wait_time_from(DefaultClock::default().now());
            let seconds = (wait.as_secs() + 1).to_string();
            return (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, seconds)]).into_response();
        }
    };
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(RATE_LIMIT.clone(), NOBODY_IS_REFUSED.into());
    headers.insert(RATE_REMAINING.clone(), left.into());
    response
}

/// An order of types alone.
pub fn plain() -> Router {
    Router::new()
        .route("/unchecked", post(take_plain))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
}

/// An order with rules. Its rate is limited by the peer's address, which the server has to tell.
pub fn checked() -> Router {
    let most = NonZeroU32::new(NOBODY_IS_REFUSED).expect("it is not zero");
    let quota = Quota::with_period(EACH).expect("it is not zero");
    let rates: Rates = RateLimiter::keyed(quota.allow_burst(most)).with_middleware();
    let policy = "default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; \
                  base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
    let around = ServiceBuilder::new()
        .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
        .layer(PropagateRequestIdLayer::x_request_id())
        .layer(HandleErrorLayer::new(|_: BoxError| async {
            StatusCode::SERVICE_UNAVAILABLE
        }))
        .load_shed()
        .layer(GlobalConcurrencyLimitLayer::new(NOBODY_IS_REFUSED as usize))
        .layer(from_fn_with_state(Arc::new(rates), limit_rate))
        .layer(always("content-security-policy", policy))
        .layer(always("x-content-type-options", "nosniff"))
        .layer(always("referrer-policy", "same-origin"))
        .layer(always("x-frame-options", "DENY"))
        .layer(always("cross-origin-opener-policy", "same-origin"))
        .layer(always("cross-origin-resource-policy", "same-origin"))
        .layer(always(
            "permissions-policy",
            "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        ))
        .layer(CsrfLayer::new())
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX));
    Router::new().route("/checked", post(take_checked).layer(around))
}
