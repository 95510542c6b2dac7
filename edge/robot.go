package edge

import (
	"bytes"
)

// maxAgent bounds what is read of the name of a browser; the rest is a flood's.
const maxAgent = 256

// robotWords are parts of the names of programs that visit by themselves, in lower case.
// Libraries that know thousands of names miss those of this year; nearly all of these
// programs say what they are in one of few words. A browser says none of them.
var robotWords = [...][]byte{
	[]byte("bot"),          // search engines, assistants, shops for links: Googlebot, GPTBot, AhrefsBot, UptimeRobot
	[]byte("crawl"),        // likewise, and what collects for archives
	[]byte("spider"),       // Baiduspider, 360Spider
	[]byte("slurp"),        // Yahoo
	[]byte("://"),          // where to learn about the program, which no browser says
	[]byte("compatible;"),  // how programs begin since the nineties; browsers ended it with Internet Explorer 10
	[]byte("headless"),     // a browser that nobody looks at
	[]byte("phantomjs"),    // likewise
	[]byte("electron/"),    // a program that shows pages of its own
	[]byte("lighthouse"),   // measures pages
	[]byte("pagespeed"),    // likewise
	[]byte("speedcurve"),   // likewise
	[]byte("gtmetrix"),     // likewise
	[]byte("pingdom"),      // looks whether a page is there
	[]byte("statuscake"),   // likewise
	[]byte("monitor"),      // likewise
	[]byte("preview"),      // draws a picture of a link that was sent to somebody
	[]byte("prerender"),    // draws a page for somebody else's cache
	[]byte("pagerenderer"), // likewise
	[]byte("externalhit"),  // Facebook's look at a link
	[]byte("inspect"),      // Google's and Censys' tools
	[]byte("scan"),         // looks for holes
	[]byte("survey"),       // counts servers
	[]byte("validator"),    // W3C and others
	[]byte("archive"),      // keeps copies
	[]byte("google-"),      // its programs beside the search: Google-Read-Aloud, Google-Safety
	[]byte("yandex.com/"),  // likewise
	[]byte("python"),       // a script that hides behind a browser's name in part
	[]byte("java/"),        // likewise
	[]byte("wget"),         // likewise
	[]byte("curl"),         // likewise
}

// robot reports whether a name of a browser is a program's. Every browser begins its
// name with Mozilla, or did with Opera; a program that says its own name, or none, is no
// browser.
func robot(agent []byte) bool {
	if !bytes.HasPrefix(agent, []byte("Mozilla/")) && !bytes.HasPrefix(agent, []byte("Opera/")) {
		return true
	}
	lower := bytes.ToLower(agent[:min(len(agent), maxAgent)])
	lower = bytes.ReplaceAll(lower, []byte("cubot"), nil) // a maker of telephones
	for _, word := range robotWords {
		if bytes.Contains(lower, word) {
			return true
		}
	}
	return false
}
