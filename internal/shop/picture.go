package shop

// Bounds of a resized picture's address (document 1, 4.4).
const (
	MinPictureWidth   = 16
	MaxPictureWidth   = 4096
	MinPictureQuality = 40
	MaxPictureQuality = 95
)

// PictureSteps are the widths generated in advance, in pixels (document 1, 4.4). Pages
// offer these and no others.
var PictureSteps = [...]int{32, 64, 128, 320, 640, 1024, 1600, 2048, 2560}
