package release

import "strings"

// forbidden lists the extensions of executables and server scripts (document 3, section 8).
// Configuration files of web servers count too: they would be published with any passwords in
// them.
var forbidden = set(
	// scripts of servers
	".php .php3 .php4 .php5 .php7 .phtml .phar .phps .asp .aspx .ashx .asmx .ascx .cshtml .jsp .jspx .jspf " +
		".cgi .fcgi .pl .pm .py .pyc .pyw .rb .erb .cfm .cfc .shtml .htaccess .htpasswd " +
		// scripts of shells and desktops
		".sh .bash .zsh .csh .ksh .fish .bat .cmd .ps1 .psm1 .vbs .vbe .jse .wsf .wsh .hta .scpt .reg " +
		// programs, libraries and installers
		".exe .dll .so .dylib .com .scr .pif .cpl .sys .drv .ocx .msi .msp .msu .jar .war .ear .class .apk .aab .ipa " +
		".deb .rpm .dmg .pkg .appimage .run .elf .lnk",
)

// Forbidden reports whether files with the path's extension are never published: the finding
// file.forbidden.
func Forbidden(path string) bool { return forbidden[extension(path)] }

// set returns the words of a text as a set.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		m[word] = true
	}
	return m
}
