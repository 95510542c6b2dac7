package push

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vitrine/compile/release"
)

// APIError is an error response of the admin API.
type APIError struct {
	Method, Path string
	Status       int
	Message      string          // "rpc error: code = X desc = CODE: detail"
	Code         string          // CODE
	Report       *release.Report // with RELEASE_INVALID

	retryAfter time.Duration
}

// Error names the call and the server's message.
func (e *APIError) Error() string {
	return fmt.Sprintf("%s %s: %d %s", e.Method, e.Path, e.Status, strings.TrimPrefix(e.Message, "rpc error: "))
}

func refusalOf(response *http.Response, body []byte) *APIError {
	e := &APIError{Method: response.Request.Method, Path: response.Request.URL.Path, Status: response.StatusCode}
	var said struct {
		Error  string          `json:"error"`
		Report *release.Report `json:"report"`
	}
	if json.Unmarshal(body, &said) == nil {
		e.Message, e.Report = said.Error, said.Report
	}
	if e.Message == "" {
		e.Message = http.StatusText(e.Status)
	}
	_, code, _ := strings.Cut(e.Message, " desc = ")
	e.Code, _, _ = strings.Cut(code, ":")
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.retryAfter = min(time.Duration(seconds)*time.Second, maxWait)
	}
	return e
}

// refused reports whether err is the API's error with that code.
func refused(err error, code string) bool {
	var e *APIError
	return errors.As(err, &e) && e.Code == code
}

// unsupported explains the error of a server without an endpoint.
func unsupported(err error, what string) error {
	if refused(err, "NOT_FOUND") || refused(err, "METHOD_NOT_ALLOWED") {
		return fmt.Errorf("this server does not offer %s: %w", what, err)
	}
	return err
}
