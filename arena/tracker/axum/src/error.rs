//! What goes wrong, as answers.
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::{request::Parts, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::Json;
use serde::{de::DeserializeOwned, Serialize};
use utoipa::ToSchema;
use validator::Validate;

#[derive(Debug)]
pub enum Fault {
    Refused(StatusCode, String),
    TooMany(u64),
    Internal(anyhow::Error),
}

#[derive(Serialize, ToSchema)]
pub struct Problem {
    detail: String,
}

impl Fault {
    pub fn text(&self) -> String {
        match self {
            Fault::Refused(_, text) => text.clone(),
            Fault::TooMany(_) => "Too many attempts.".into(),
            Fault::Internal(_) => "Something went wrong.".into(),
        }
    }

    pub fn status(&self) -> StatusCode {
        match self {
            Fault::Refused(status, _) => *status,
            Fault::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            Fault::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

pub fn refused(status: StatusCode, text: &str) -> Fault {
    Fault::Refused(status, text.into())
}

impl<E: Into<anyhow::Error>> From<E> for Fault {
    fn from(error: E) -> Self {
        Fault::Internal(error.into())
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        if let Fault::Internal(error) = &self {
            tracing::error!("{error:#}");
        }
        let body = Json(Problem {
            detail: self.text(),
        });
        match self {
            Fault::TooMany(seconds) => {
                (self.status(), [("retry-after", seconds.to_string())], body).into_response()
            }
            _ => (self.status(), body).into_response(),
        }
    }
}

/// JSON that is read and checked.
pub struct Checked<T>(pub T);

impl<T: DeserializeOwned + Validate, S: Send + Sync> FromRequest<S> for Checked<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, state: &S) -> Result<Self, Fault> {
        let Json(value) = Json::<T>::from_request(request, state)
            .await
            .map_err(|e: JsonRejection| Fault::Refused(e.status(), e.body_text()))?;
        value
            .validate()
            .map_err(|e| Fault::Refused(StatusCode::UNPROCESSABLE_ENTITY, e.to_string()))?;
        Ok(Checked(value))
    }
}

/// A query string that is read and checked.
pub struct CheckedQuery<T>(pub T);

impl<T: DeserializeOwned + Validate, S: Send + Sync> FromRequestParts<S> for CheckedQuery<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        let axum::extract::Query(value) =
            axum::extract::Query::<T>::from_request_parts(parts, state)
                .await
                .map_err(|e: QueryRejection| Fault::Refused(e.status(), e.body_text()))?;
        value
            .validate()
            .map_err(|e| Fault::Refused(StatusCode::BAD_REQUEST, e.to_string()))?;
        Ok(CheckedQuery(value))
    }
}
