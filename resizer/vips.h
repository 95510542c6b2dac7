#include <stddef.h>

/* vt_job holds the parameters and the result of one resize. */
typedef struct {
	int width, height; /* bounding box before rotation; pictures are never enlarged */
	int all_frames;    /* 0: the first frame only */
	int whole;         /* decode the picture itself in full size, never a thumbnail inside the file */
	int orientation;   /* EXIF, 1 to 8 */
	int quality;       /* 0: lossless */
	int effort;        /* of the encoder, 0 to 6 */
	int sharp_chroma;  /* sharper edges of saturated red and blue; takes half as long again */
	long long pixels;  /* maximum of all frames together; larger pictures are refused */

	void *out;         /* the WebP file, to be released with vt_free */
	size_t out_size;
	int out_width, out_height; /* of one frame */
	char *error;       /* text for a log, to be released with vt_free; NULL when there is none */
} vt_job;

/* Results of the calls below. */
enum { VT_OK, VT_BROKEN, VT_TOO_BIG };

void vt_setup(void);
int vt_resize_file(const void *file, size_t size, vt_job *job);
int vt_resize_pixels(const void *rgba, size_t size, int width, int height, vt_job *job);
void vt_free(void *p);
void vt_leave_thread(void);
