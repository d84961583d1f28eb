// Package store keeps the gateway's resources, the presence of its nodes and their signals in etcd.
//
// Below one prefix stand resources/<kind>/<id>, meta/generation, fleet/nodes/<node>, fleet/tokens/<node>,
// fleet/signals/<cell>/<node>, fleet/roots/<cell>/{aggregator,live,root}, and vectors/<key>, the embedded examples of
// semantic routings. A write of resources is a compare-and-swap of the whole document: every
// writer puts meta/generation in the same transaction and refuses when someone else did so since it read.
// A watch is exact: it delivers one image for each transaction, in order, without gaps; whatever cannot be
// followed change by change is read again as a whole and compared.
//
// Opening a store dials nothing and writes nothing; every call finds etcd as it is at that moment. A Store
// and a Member may be used from any number of goroutines. An Image never changes once it was returned.
package store
