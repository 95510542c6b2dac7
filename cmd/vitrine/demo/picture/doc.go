// Package picture draws the photographs of the demo shop: still lifes of pots,
// tins, candles and cloth on a studio table, computed from a few numbers and
// always the same.
//
// It is a small renderer. A model is a set of meshes: outlines turned around an
// axis (lathe.go), tubes along a curve (tube.go), boxes, cushions and leaves
// (solid.go). A Still says which models stand where and how the camera looks.
// Drawing it goes through four steps:
//
//	place     models become world-space triangles, the camera is fitted to them
//	shadow    triangles seen from the lamp, and flattened onto the table
//	raster    which triangle each of a pixel's four samples sees
//	shade     light, glaze and pattern once per triangle and pixel, then glass
//
// Lengths are decimetres, angles degrees, y points up and the camera looks from
// positive z. The package does no I/O and knows nothing of shops.
package picture
