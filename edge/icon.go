package edge

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/compile/icon"
	"vitrine/internal/shop"
	"vitrine/render"
)

// Browsers and home screens get a web manifest and icons, made from the settings and the
// favicon of a shop. A closed shop serves both, because it shows its name as well.

// manifest answers the web manifest of the shop.
func (v *visit) manifest() int {
	if status := v.readsOnly(); status != 0 {
		return status
	}
	body := render.Manifest(render.ShopOf(v.st.site.Shop()))
	a := &answer{mime: "application/manifest+json", tag: tagOf(body), caching: "public, max-age=300",
		fields: []field{{fasthttp.HeaderXContentTypeOptions, "nosniff"}}}
	return a.finish(body).send(v.ctx, false)
}

const (
	faviconSize = 32  // of /favicon.ico
	iconSource  = 512 // width of the picture that icons are cut from
	iconQuality = 95
)

// icon answers the favicon of the shop as a square PNG; size 0 is an icon that does not
// exist. The resizer decodes the uploaded picture, as it does all uploads; its result is
// cropped here.
func (v *visit) icon(size int, caching string) (int, outcome) {
	if size == 0 || v.s.cfg.Resize == nil {
		return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
	}
	if status := v.readsOnly(); status != 0 {
		return status, cacheNone
	}
	path := strings.TrimPrefix(v.st.site.Shop().Face.Icon.Path, shop.FilesPrefix)
	name := "icon " + strconv.Itoa(size) + " " + caching + " " + path
	hash := v.s.cache.hash(v.t, name)
	if e := v.s.cache.find(hash, v.t, name); e != nil && e.fresh(v.st) {
		return e.answer.send(v.ctx, false), cacheHit
	}
	t, st, s := v.t, v.st, v.s
	ctx := v.work()
	keys := append([]shop.Key{{Kind: shop.KeyShop}}, cutKeys...)
	found, err := s.flights.Do(ctx, name+" "+t.company.String()+" "+strconv.FormatUint(st.gen, 10), func() (any, error) {
		body, standIn, err := s.cutIcon(ctx, t.company, path, size)
		if err != nil {
			return nil, err
		}
		if standIn {
			caching = standInCaching
		}
		e := &entry{tenant: t, name: name, hash: hash, madeAt: st.gen, keys: keys, answer: (&answer{
			mime: "image/png", tag: tagOf(body), caching: caching,
			fields: []field{{fasthttp.HeaderXContentTypeOptions, "nosniff"}, {surrogateHeader, surrogates(keys, t.company)}},
		}).finish(body)}
		e.validAt.Store(st.gen)
		if !standIn && !t.draft {
			s.cache.put(e, s.cfg.Now())
		}
		return e, nil
	})
	if errors.Is(err, icon.ErrPicture) || errors.Is(err, ErrKeepOriginal) {
		return plain(v.ctx, fasthttp.StatusNotFound), cacheNone
	}
	if err != nil {
		return v.unresized(err), cacheNone
	}
	return found.(*entry).answer.send(v.ctx, false), cacheMiss
}

func (s *Server) cutIcon(ctx context.Context, company shop.CompanyID, path string, size int) (body []byte, standIn bool, err error) {
	picture, err := s.cfg.Resize(ctx, company, path, iconSource, iconQuality)
	if err != nil {
		return nil, false, err
	}
	body, err = icon.Cut(picture.Body, size)
	return body, picture.StandIn, err
}
