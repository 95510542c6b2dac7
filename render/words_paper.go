package render

// paperWords are the texts of papers.
type paperWords struct {
	Slip, Invoice, CreditNote, ForInvoice     string
	Date, Recipient, Item, Price, Sum, On     string
	Returned, Scan, PrintInvoice, PrintCredit string
}

var englishPaper = paperWords{
	Slip: "Packing slip", Invoice: "Invoice", CreditNote: "Credit note", ForInvoice: "For invoice", Date: "Date", Recipient: "To",
	Item: "Item", Price: "Price", Sum: "Sum", On: "on", Returned: "Refunded", Scan: "Your order", PrintInvoice: "Print invoice",
	PrintCredit: "Print credit note",
}

var russianPaper = paperWords{
	Slip: "Комплектовочный лист", Invoice: "Счёт", CreditNote: "Кредит-нота", ForInvoice: "К счёту", Date: "Дата", Recipient: "Кому",
	Item: "Товар", Price: "Цена", Sum: "Сумма", On: "от", Returned: "Возвращено", Scan: "Ваш заказ", PrintInvoice: "Распечатать счёт",
	PrintCredit: "Распечатать кредит-ноту",
}
