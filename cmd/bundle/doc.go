// Package bundle reads resources from YAML and JSON files and checks them as the admin service would.
//
// A file holds one or more documents, each with any of the lists providers, models, profiles, routings and api_keys. Values
// are plain and belong to their reader.
package bundle
