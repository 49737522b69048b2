//! What comes out of a database, by the shared crate's store.

use actix_web::error::{ErrorInternalServerError, ErrorNotFound};
use actix_web::http::header::ContentType;
use actix_web::web::{self, Data, Html, Json, Path, Query, ServiceConfig};
use actix_web::{Error, HttpResponse};
use arena_rows::{
    Between, Change, Changed, Counted, Fault, Found, Listed, Listing, NewItem, Origin, Store, World,
};

type Answer<T> = Result<T, Error>;
type Shared = Data<Store>;

fn refused(fault: Fault) -> Error {
    match fault {
        Fault::NotFound => ErrorNotFound("not found"),
        Fault::Failed => ErrorInternalServerError("the database does not answer"),
    }
}

async fn one(store: Shared) -> Answer<Json<World>> {
    store.one().await.map(Json).map_err(refused)
}

async fn some(store: Shared, asked: Query<Counted>) -> Answer<Json<Vec<World>>> {
    store.some(&asked).await.map(Json).map_err(refused)
}

async fn update(store: Shared, asked: Query<Counted>) -> Answer<Json<Vec<World>>> {
    store.update(&asked).await.map(Json).map_err(refused)
}

async fn cached(store: Shared, asked: Query<Counted>) -> Json<Vec<World>> {
    Json(store.cached(&asked))
}

async fn fortunes(store: Shared) -> Answer<Html> {
    store.fortunes().await.map(Html::new).map_err(refused)
}

async fn between(store: Shared, asked: Query<Between>) -> Answer<Json<Found>> {
    store.between(&asked).await.map(Json).map_err(refused)
}

async fn list(store: Shared, asked: Query<Listing>) -> Answer<Json<Listed>> {
    store.list(&asked).await.map(Json).map_err(refused)
}

async fn item(store: Shared, id: Path<i32>) -> Answer<HttpResponse> {
    let kept = store.item(*id).await.map_err(refused)?;
    Ok(HttpResponse::Ok()
        .content_type(ContentType::json())
        .insert_header(("x-cache", kept.how))
        .body(kept.text))
}

async fn add(store: Shared, item: Json<NewItem>) -> Answer<HttpResponse> {
    store.add(&item).await.map_err(refused)?;
    Ok(HttpResponse::Created().json(item.into_inner()))
}

async fn change(store: Shared, id: Path<i32>, wanted: Json<Change>) -> Answer<Json<Changed>> {
    let changed = store.change(*id, wanted.into_inner()).await;
    changed.map(Json).map_err(refused)
}

/// Called by each worker, which has connections of its own.
pub fn add_routes(config: &mut ServiceConfig, origin: &Origin) {
    config
        .app_data(Data::new(origin.store()))
        .route("/db", web::get().to(one))
        .route("/queries", web::get().to(some))
        .route("/updates", web::get().to(update))
        .route("/cached-queries", web::get().to(cached))
        .route("/fortunes", web::get().to(fortunes))
        .route("/async-db", web::get().to(between))
        .service(web::resource("/crud/items").get(list).post(add))
        .service(web::resource("/crud/items/{id}").get(item).put(change));
}
