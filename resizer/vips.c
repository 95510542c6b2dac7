#define _GNU_SOURCE
#include <dlfcn.h>
#include <gmodule.h>
#include <stdlib.h>
#include <vips/vips.h>
#include "vips.h"

/*
 * When libvips starts, it opens all modules in its folder: ImageMagick, poppler, OpenSlide
 * and their libraries. No upload may reach them, and opening them takes a quarter of the
 * start of every process. With another prefix it finds none; load_heif opens the one that is
 * wanted. This runs before bimg starts
 * the library; Go has read the environment elsewhere, so no child process inherits the value.
 */
__attribute__((constructor)) static void leave_out_modules(void) { setenv("VIPSHOME", "/nonexistent", 1); }

/*
 * load_heif opens the one module that is wanted, if this libvips has AVIF and HEIC in a module. It
 * is beside the library, in a folder named after the version.
 */
static void load_heif(void) {
	if (g_type_from_name("VipsForeignLoadHeif"))
		return; /* built in */
	Dl_info library;
	if (!dladdr((void *) vips_init, &library))
		return;
	char *folder = g_path_get_dirname(library.dli_fname);
	char *path = g_strdup_printf("%s/vips-modules-%d.%d/vips-heif.so", folder, vips_version(0), vips_version(1));
	g_module_open(path, G_MODULE_BIND_LAZY);
	g_free(path);
	g_free(folder);
}

static void ignore(const gchar *domain, GLogLevelFlags level, const gchar *text, gpointer data) {}

/*
 * Loaders are on an allowlist: a loader added by a distribution must not be
 * reachable with an upload.
 */
void vt_setup(void) {
	load_heif();
	vips_block_untrusted_set(TRUE);
	vips_operation_block_set("VipsForeignLoad", TRUE);
	vips_operation_block_set("VipsForeignLoadJpeg", FALSE);
	vips_operation_block_set("VipsForeignLoadPng", FALSE);
	vips_operation_block_set("VipsForeignLoadWebp", FALSE);
	vips_operation_block_set("VipsForeignLoadNsgif", FALSE);
	vips_operation_block_set("VipsForeignLoadTiff", FALSE);
	vips_operation_block_set("VipsForeignLoadHeif", FALSE);
	vips_concurrency_set(1);
	/* Otherwise every request for a broken upload would write to stderr. */
	g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING, ignore, NULL);
}

void vt_free(void *p) { g_free(p); }

void vt_leave_thread(void) { vips_thread_shutdown(); }

static int broken(vt_job *job) {
	/* The text is shared by all threads: use it for logs only, never for decisions. */
	job->error = vips_error_buffer_copy();
	return VT_BROKEN;
}

/* colours holds the profiles for the conversion; NULL if there is nothing to convert. */
typedef struct {
	const char *from; /* used if the picture has no profile, or an unusable one */
	const char *to;
} colours;

/*
 * colours_of: a picture without a profile is sRGB or grey already. A conversion
 * by libvips 8.14 would shift every colour by a few steps.
 */
static colours colours_of(VipsImage *in) {
	colours c = { NULL, NULL };
	if (in->Type == VIPS_INTERPRETATION_CMYK) {
		c.from = "cmyk";
		c.to = "srgb";
	} else if (vips_image_get_typeof(in, VIPS_META_ICC_NAME)) {
		c.from = in->Bands < 3 ? NULL : "srgb";
		c.to = "srgb";
	}
	return c;
}

/*
 * check reads the header again with libvips: if its parser and ours disagree
 * about the size, the larger one counts.
 */
static int check(const void *file, size_t size, const char *options, vt_job *job, colours *c) {
	VipsImage *in = vips_image_new_from_buffer(file, size, options, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
	if (!in)
		return broken(job);
	gint64 pixels = (gint64) in->Xsize * in->Ysize;
	guint64 sample = VIPS_IMAGE_SIZEOF_ELEMENT(in);
	int bands = in->Bands;
	*c = colours_of(in);
	g_object_unref(in);
	return pixels > job->pixels || bands > 5 || sample > 8 ? VT_TOO_BIG : VT_OK;
}

/*
 * upright returns the shrunk picture in memory, rotated by its EXIF orientation.
 * It is in memory because rotation reads pixels in random order while a loader
 * delivers them from top to bottom, and because the WebP encoder leaks its whole
 * picture if decoding a damaged file fails during encoding.
 */
static VipsImage *upright(VipsImage *in, int orientation) {
	VipsImage *held = vips_image_copy_memory(in);
	if (!held || orientation <= 1)
		return held;
	VipsImage *told = NULL, *out = NULL;
	if (vips_copy(held, &told, NULL) == 0) {
		vips_image_set_int(told, VIPS_META_ORIENTATION, orientation);
		if (vips_autorot(told, &out, NULL))
			out = NULL;
		g_object_unref(told);
	}
	g_object_unref(held);
	return out;
}

/* finish decodes, rotates and encodes image, and releases it. */
static int finish(VipsImage *image, vt_job *job) {
	VipsImage *out = upright(image, job->orientation);
	g_object_unref(image);
	if (!out)
		return broken(job);
	job->out_width = out->Xsize;
	job->out_height = vips_image_get_page_height(out);
	int failed = vips_webpsave_buffer(out, &job->out, &job->out_size,
		"Q", job->quality ? job->quality : 75,
		"lossless", job->quality == 0,
		"effort", job->effort,
		"smart_subsample", job->sharp_chroma,
		NULL);
	g_object_unref(out);
	return failed ? broken(job) : VT_OK;
}

/* shrunk opens a file in the size that is asked for. */
static int shrunk(const void *file, size_t size, const char *options, vt_job *job, colours c, VipsImage **out) {
	if (!job->whole)
		return vips_thumbnail_buffer((void *) file, size, out, job->width,
			"height", job->height,
			"size", VIPS_SIZE_DOWN,
			"no_rotate", TRUE,
			"import_profile", c.from,
			"export_profile", c.to,
			"option_string", options,
			NULL);
	/* vips_thumbnail_buffer would take a thumbnail that the file may contain, which may be another picture. */
	VipsImage *in = vips_image_new_from_buffer(file, size, options, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
	if (!in)
		return -1;
	int failed = vips_thumbnail_image(in, out, job->width,
		"height", job->height,
		"size", VIPS_SIZE_DOWN,
		"no_rotate", TRUE,
		"import_profile", c.from,
		"export_profile", c.to,
		NULL);
	g_object_unref(in);
	return failed;
}

/*
 * vt_resize_file resizes a JPEG, PNG, GIF, WebP, TIFF, AVIF or HEIC file. It is decoded in
 * finish, so the file's bytes must stay valid until this returns.
 */
int vt_resize_file(const void *file, size_t size, vt_job *job) {
	/* fail_on as an argument of vips_thumbnail_buffer does not reach the loader in 8.14. */
	const char *options = job->all_frames ? "[fail_on=error,n=-1]" : "[fail_on=error]";
	colours c;
	int result = check(file, size, options, job, &c);
	if (result != VT_OK)
		return result;
	VipsImage *image;
	if (shrunk(file, size, options, job, c, &image))
		return broken(job);
	return finish(image, job);
}

/* vt_resize_pixels resizes decoded pixels, four bytes each, alpha not premultiplied. */
int vt_resize_pixels(const void *rgba, size_t size, int width, int height, vt_job *job) {
	VipsImage *in = vips_image_new_from_memory(rgba, size, width, height, 4, VIPS_FORMAT_UCHAR);
	if (!in)
		return broken(job);
	in->Type = VIPS_INTERPRETATION_sRGB;
	VipsImage *image;
	int failed = vips_thumbnail_image(in, &image, job->width,
		"height", job->height,
		"size", VIPS_SIZE_DOWN,
		NULL);
	g_object_unref(in);
	return failed ? broken(job) : finish(image, job);
}
