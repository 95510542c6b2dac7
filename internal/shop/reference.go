package shop

// WidgetRefs maps the props of widgets that reference ids (document 3, 2.2) to the table of
// the referenced rows. A value is an id, a list of them, or a nested object.
var WidgetRefs = map[string]string{
	"documentId": "document", "formId": "form", "categoryId": "category", "productId": "product", "parentProductId": "product",
	"productRefs": "product", "articleId": "article", "galleryId": "gallery", "widgets": "content_block", "refs": "content_block",
	"top": "content_block", "bottom": "content_block", "main": "content_block", "aside": "content_block", "modalTpl": "content_block",
}
