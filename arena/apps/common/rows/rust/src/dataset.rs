//! The items of HttpArena's json, which are read once and lie in no database.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::items::{Item, Rating};

pub struct Dataset(Vec<Item>);

#[derive(Deserialize)]
pub struct Multiplied {
    #[serde(default)]
    m: String,
}

#[derive(Serialize)]
struct Priced<'a> {
    id: i32,
    name: &'a str,
    category: &'a str,
    price: i32,
    quantity: i32,
    active: bool,
    tags: &'a [String],
    rating: &'a Rating,
    total: i64,
}

#[derive(Serialize)]
pub struct PricedItems<'a> {
    items: Vec<Priced<'a>>,
    count: usize,
}

fn priced(item: &Item, multiplier: i64) -> Priced<'_> {
    Priced {
        id: item.id,
        name: &item.name,
        category: &item.category,
        price: item.price,
        quantity: item.quantity,
        active: item.active,
        tags: &item.tags,
        rating: &item.rating,
        total: i64::from(item.price) * i64::from(item.quantity) * multiplier,
    }
}

impl Dataset {
    /// Ends the program with status 1 when the folder has no dataset.json that can be read.
    pub fn open(folder: &Path) -> Self {
        Self::try_open(folder).unwrap_or_else(|fault| {
            eprintln!("{fault}");
            std::process::exit(1)
        })
    }

    fn try_open(folder: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let text = std::fs::read(folder.join("dataset.json"))?;
        Ok(Self(serde_json::from_slice(&text)?))
    }

    /// As many as are asked for, or all. A multiplier that is none counts as 1.
    pub fn first(&self, count: usize, asked: &Multiplied) -> PricedItems<'_> {
        let multiplier = asked.m.parse().unwrap_or(1);
        let taken = self.0.iter().take(count);
        let items: Vec<Priced> = taken.map(|item| priced(item, multiplier)).collect();
        PricedItems {
            count: items.len(),
            items,
        }
    }
}
