package render

// Account is the page /account.
type Account struct {
	Person    *Person // nil: nobody is signed in
	Addresses []Address
	Editing   Address // in the form
	Typed     Person  // in the forms of who is not signed in
	Next      string  // where to go when signed in; empty: here
	Asked     string  // the address that a code was sent to; empty: none
	Reset     string  // token of a link that sets a password anew; empty: none
	Done      string  // what was done, by name; empty: nothing
	Trouble   Trouble
	At        string // the form that the trouble is about
}

// Person is who is signed in.
type Person struct {
	Email string `json:"email"`
	Name  string `json:"name"`
	Phone string `json:"phone"`
	Next  string `json:"next_email"` // waits for its code; empty: none
}

// Shown is what the page calls the person.
func (p *Person) Shown() string { return orElse(p.Name, p.Email) }
