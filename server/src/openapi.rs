//! What the API says of itself: the head of its `OpenAPI` document, and the JSON Schema of documents.

use crate::routes;
use model::ResultDocument;
use serde_json::{Map, Value, json};
use utoipa::{OpenApi, PartialSchema as _, ToSchema as _};

/// The document's head, and those paths that share a route with another one.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Cliffmark",
        description = "Signed measurements of drives: publish, list, read, compare and draw them.",
        license(name = "MIT or Apache 2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(routes::results::table, routes::charts::described),
    components(schemas(crate::error::ProblemDetails, model::chart_id::ChartId))
)]
pub struct ApiDoc;

/// The JSON Schema (2020-12) of result documents.
///
/// # Panics
/// Never: a schema is JSON.
#[must_use]
pub fn document_schema() -> Value {
    let mut named = Vec::new();
    ResultDocument::schemas(&mut named);
    let mut schema = json!(ResultDocument::schema());
    let definitions: Map<String, Value> =
        named.into_iter().map(|(name, schema)| (name, json!(schema))).collect();
    let members = schema.as_object_mut().expect("the document is an object");
    members.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
    members.insert("title".to_owned(), "Cliffmark result document".into());
    members.insert("$defs".to_owned(), definitions.into());
    point_to_definitions(&mut schema);
    schema
}

/// `OpenAPI` keeps definitions elsewhere than JSON Schema does.
fn point_to_definitions(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if let (true, Some(name)) =
                    (name == "$ref", member.as_str().and_then(|at| at.strip_prefix("#/components/schemas/")))
                {
                    *member = format!("#/$defs/{name}").into();
                } else {
                    point_to_definitions(member);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(point_to_definitions),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every `$ref` of the schema.
    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    match member.as_str().filter(|_| name == "$ref") {
                        Some(at) => found.push(at.to_owned()),
                        None => references(member, found),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        for document in [document_schema(), json!(crate::router::openapi())] {
            let mut found = Vec::new();
            references(&document, &mut found);
            assert!(found.len() > 10);
            for at in found {
                let pointer = at.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{at}");
            }
        }
    }

    #[test]
    fn the_schema_is_an_allow_list() {
        let schema = document_schema();
        assert_eq!(schema.pointer("/additionalProperties"), Some(&Value::Bool(false)));
        assert_eq!(schema.pointer("/$defs/Drive/additionalProperties"), Some(&Value::Bool(false)));
    }
}
