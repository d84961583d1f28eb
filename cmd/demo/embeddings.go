package demo

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
)

// maxInputs is how many texts one request may bring; OpenAI's own limit.
const maxInputs = 2048

// embeddingRequest holds the fields of a request for embeddings that change the answer.
type embeddingRequest struct {
	Model          string `json:"model"`
	Input          inputs `json:"input"`
	Dimensions     *int   `json:"dimensions"`
	EncodingFormat string `json:"encoding_format"`
}

// inputs are the texts: a string, or a list of them. Lists of tokens are not taken.
type inputs []string

// UnmarshalJSON reads either form.
func (i *inputs) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*i = inputs{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(raw, &many); err != nil {
		return fmt.Errorf("input is a string or a list of strings")
	}
	*i = many
	return nil
}

type embedding struct {
	Object string `json:"object"`
	Index  int    `json:"index"`
	// Embedding is a list of numbers, or the base64 of float32 values.
	Embedding any `json:"embedding"`
}

// embeddings answers POST /v1/embeddings.
func (s *Server) embeddings(w http.ResponseWriter, r *http.Request) {
	req, problem := readEmbeddings(w, r)
	if problem != nil {
		problem.write(w)
		return
	}
	data, words := make([]embedding, len(req.Input)), 0
	for i, text := range req.Input {
		words += len(strings.Fields(text))
		data[i] = embedding{"embedding", i, req.encode(vector(text, req.dimensions()))}
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"object": "list", "data": data, "model": EmbeddingModel, "usage": map[string]int{"prompt_tokens": words, "total_tokens": words},
	})
}

// readEmbeddings reads and checks a request. What is wrong with it is the second result.
func readEmbeddings(w http.ResponseWriter, r *http.Request) (*embeddingRequest, *apiError) {
	var req embeddingRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&req); err != nil {
		return nil, &apiError{Status: http.StatusBadRequest, Message: "the body is not a request for embeddings: " + err.Error()}
	}
	bad := func(param, message string) (*embeddingRequest, *apiError) {
		return nil, &apiError{Status: http.StatusBadRequest, Param: param, Message: message}
	}
	switch {
	case req.Model != EmbeddingModel:
		return nil, noEmbeddingModel(req.Model)
	case len(req.Input) == 0 || len(req.Input) > maxInputs:
		return bad("input", fmt.Sprintf("input must hold 1 to %d texts", maxInputs))
	case req.Dimensions != nil && (*req.Dimensions < minDimensions || *req.Dimensions > maxDimensions):
		return bad("dimensions", fmt.Sprintf("dimensions must be from %d to %d", minDimensions, maxDimensions))
	case req.EncodingFormat != "" && req.EncodingFormat != "float" && req.EncodingFormat != "base64":
		return bad("encoding_format", "encoding_format must be float or base64")
	}
	for _, text := range req.Input {
		if text == "" {
			return bad("input", "input must not hold an empty text")
		}
	}
	return &req, nil
}

func (r *embeddingRequest) dimensions() int {
	if r.Dimensions != nil {
		return *r.Dimensions
	}
	return defaultDimensions
}

func (r *embeddingRequest) encode(v []float32) any {
	if r.EncodingFormat != "base64" {
		return v
	}
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(raw)
}
