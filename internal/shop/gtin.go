package shop

// GTINFault tells what is wrong with a global trade item number as printed below a bar code
// (GTIN-8, UPC-A, EAN-13, GTIN-14); empty: nothing.
func GTINFault(text string) string {
	switch len(text) {
	case 8, 12, 13, 14:
	default:
		return "must have 8, 12, 13 or 14 digits"
	}
	sum := 0
	for i := range len(text) {
		digit := text[i] - '0'
		if digit > 9 {
			return "must consist of digits"
		}
		if (len(text)-i)%2 == 0 { // every second digit counts three times; the last one counts once
			digit *= 3
		}
		sum += int(digit)
	}
	if sum%10 != 0 {
		return "the check digit is wrong"
	}
	return ""
}
