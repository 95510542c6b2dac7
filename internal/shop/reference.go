package shop

// WidgetRefs is what the props of widgets name by id (document 3, 2.2): the table
// whose rows they point at. A value is an id, a list of them, or an object below.
var WidgetRefs = map[string]string{
	"documentId": "document", "formId": "form", "categoryId": "category", "productId": "product", "parentProductId": "product",
	"productRefs": "product", "articleId": "article", "galleryId": "gallery", "widgets": "content_block", "refs": "content_block",
	"top": "content_block", "bottom": "content_block", "main": "content_block", "aside": "content_block", "modalTpl": "content_block",
}
