package edge

import "vitrine/render"

// drawWithin draws a page whose content belongs to one visitor, in a frame that is the same
// for all of them: menu, header, footer, blocks. Such a frame is cached like a page. fill
// returns the page to print; it must copy what it changes of the frame.
func (v *visit) drawWithin(want render.PageRequest, fill func(frame render.Page) render.Page) ([]byte, error) {
	release, err := v.t.acquireSlot(v.work())
	if err != nil {
		return nil, err
	}
	defer release()
	name := string(appendName(nil, want)) + "/frame"
	hash := v.s.cache.hash(v.t, name)
	shared := !v.t.draft && want.Opened == ""
	if shared {
		if e := v.s.cache.find(hash, v.t, name); e != nil && e.fresh(v.st) {
			return v.s.print(fill(e.frame))
		}
	}
	frame, keys, err := v.s.page(v.work(), v.t, v.st, want)
	if err != nil {
		return nil, err
	}
	body, err := v.s.print(fill(frame))
	if err == nil && shared && !render.FrameOf(frame).Once && v.t.ledger.valid(keys, v.st.gen) {
		e := &entry{tenant: v.t, name: name, hash: hash, keys: keys, madeAt: v.st.gen, frame: frame, frameSize: int64(len(body))}
		e.validAt.Store(v.st.gen)
		v.s.cache.put(e, v.s.cfg.Now())
	}
	return body, err
}
