package demo

import (
	"hash/fnv"
	"math"
	"strings"
	"unicode"
)

// EmbeddingModel is the name of the model that every demo upstream embeds with. It is no neural model: a vector counts
// the words, pairs of words and groups of letters of its text, hashed into its places. Texts with words in common are
// near each other; texts that mean the same in other words are not.
const EmbeddingModel = "demo-hashed-ngrams"

const (
	// defaultDimensions leaves so many places that the n-grams of two short texts hardly ever meet by accident.
	defaultDimensions = 512
	// minDimensions and maxDimensions bound what a request may ask for.
	minDimensions, maxDimensions = 64, 4096

	// Words say more than the letters in them, which are there for other forms of the same word; words of up to
	// shortWord letters ("a", "the", "in") say little.
	wordWeight, pairWeight, lettersWeight, shortWeight = 1.0, 0.5, 0.4, 0.1
	shortWord                                          = 3
	letters                                            = 4
)

// vector embeds a text. Equal texts have equal vectors, everywhere and always. One without a letter or digit is of zeros.
func vector(text string, dimensions int) []float32 {
	sums := make([]float64, dimensions)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range words {
		runes := []rune(word)
		weight := wordWeight
		if len(runes) <= shortWord {
			weight = shortWeight
		}
		count(sums, "word "+word, weight)
		if i > 0 {
			count(sums, "pair "+words[i-1]+" "+word, pairWeight*weight)
		}
		for from := 0; from+letters <= len(runes); from++ {
			count(sums, "letters "+string(runes[from:from+letters]), lettersWeight)
		}
	}
	return normalise(sums)
}

// count adds a feature at its place. Its sign, from the hash too, makes those that meet by accident cancel out on average.
func count(sums []float64, feature string, weight float64) {
	h := fnv.New64a()
	h.Write([]byte(feature))
	sum := h.Sum64()
	if sum>>63 == 1 {
		weight = -weight
	}
	sums[(sum^sum>>32)%uint64(len(sums))] += weight
}

// normalise returns the vector of length 1 in that direction.
func normalise(sums []float64) []float32 {
	square := 0.0
	for _, x := range sums {
		square += x * x
	}
	out := make([]float32, len(sums))
	if square == 0 {
		return out
	}
	for i, x := range sums {
		out[i] = float32(x / math.Sqrt(square))
	}
	return out
}
