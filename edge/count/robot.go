package count

import (
	"bytes"
)

// maxAgent bounds what is read of a user agent.
const maxAgent = 256

// robotWords are parts of the user agents of automated clients, in lower case. Libraries
// that list thousands of names lack those of this year; nearly all automated clients
// identify themselves with one of a few words. No browser contains any of them.
var robotWords = [...][]byte{
	[]byte("bot"),          // search engines, assistants, link tools: Googlebot, GPTBot, AhrefsBot, UptimeRobot
	[]byte("crawl"),        // likewise, and archive collectors
	[]byte("spider"),       // Baiduspider, 360Spider
	[]byte("slurp"),        // Yahoo
	[]byte("://"),          // address of a description of the client, which no browser has
	[]byte("compatible;"),  // beginning of automated clients since the nineties; browsers stopped with Internet Explorer 10
	[]byte("headless"),     // a browser without a user
	[]byte("phantomjs"),    // likewise
	[]byte("electron/"),    // an application that shows its own pages
	[]byte("lighthouse"),   // measures pages
	[]byte("pagespeed"),    // likewise
	[]byte("speedcurve"),   // likewise
	[]byte("gtmetrix"),     // likewise
	[]byte("pingdom"),      // checks whether a page is up
	[]byte("statuscake"),   // likewise
	[]byte("monitor"),      // likewise
	[]byte("preview"),      // makes link previews
	[]byte("prerender"),    // renders pages for another cache
	[]byte("pagerenderer"), // likewise
	[]byte("externalhit"),  // Facebook's link fetcher
	[]byte("inspect"),      // Google's and Censys' tools
	[]byte("scan"),         // looks for vulnerabilities
	[]byte("survey"),       // counts servers
	[]byte("validator"),    // W3C and others
	[]byte("archive"),      // keeps copies
	[]byte("google-"),      // other Google clients: Google-Read-Aloud, Google-Safety
	[]byte("yandex.com/"),  // likewise
	[]byte("python"),       // a script with part of a browser's name
	[]byte("java/"),        // likewise
	[]byte("wget"),         // likewise
	[]byte("curl"),         // likewise
}

// previewWords are parts of the user agents of clients that open the links of messages before their
// readers do, in lower case.
var previewWords = [...][]byte{
	[]byte("bot"), []byte("crawl"), []byte("spider"), []byte("externalhit"), []byte("preview"), []byte("prerender"), []byte("scan"),
	[]byte("whatsapp"), []byte("skype"), []byte("viber"), []byte("vkshare"), []byte("embedly"), []byte("iframely"), []byte("safelinks"),
}

// Previews reports whether a client with a user agent opens links to show or to check what they lead
// to, and not for a person.
func Previews(agent []byte) bool {
	lower := bytes.ToLower(agent[:min(len(agent), maxAgent)])
	lower = bytes.ReplaceAll(lower, []byte("cubot"), nil)
	for _, word := range previewWords {
		if bytes.Contains(lower, word) {
			return true
		}
	}
	return false
}

// robot reports whether a user agent is not a browser's. Every browser begins its user
// agent with Mozilla, or, in the past, with Opera; clients with another name or none are
// not browsers.
func robot(agent []byte) bool {
	if !bytes.HasPrefix(agent, []byte("Mozilla/")) && !bytes.HasPrefix(agent, []byte("Opera/")) {
		return true
	}
	lower := bytes.ToLower(agent[:min(len(agent), maxAgent)])
	lower = bytes.ReplaceAll(lower, []byte("cubot"), nil) // a brand of telephones
	for _, word := range robotWords {
		if bytes.Contains(lower, word) {
			return true
		}
	}
	return false
}
