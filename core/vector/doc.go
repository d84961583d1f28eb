// Package vector compares embeddings by their cosine. Vectors are brought to length 1 once, when they come in, so
// that a comparison is a dot product: a Unit is such a vector, a Set holds those of the examples of many targets,
// and the score of a target is the greatest cosine among its examples.
//
// A vector without a direction, all zeros or not of finite numbers, is no Unit, and so matches nothing.
//
// Units and Sets never change and may be used from any number of goroutines.
package vector
