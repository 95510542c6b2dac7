package demo
import ("testing";"os";"time";"vitrine/cmd/vitrine/demo/picture")
func TestProf(t *testing.T){
 c,err := loadMain(); if err != nil { t.Fatal(err) }
 b,err := loadAtelier(); if err != nil { t.Fatal(err) }
 var p picture.Painter
 s := time.Now(); n:=0; size:=0
 os.MkdirAll("/tmp/demo/shots",0o755)
 for _,s := range append(c.shots(),b.shots()...) { x,err := p.JPEG(s.still); if err != nil { t.Fatal(s.name,err) }; n++; size+=len(x); os.WriteFile("/tmp/demo/shots/"+s.name,x,0o644) }
 t.Log(n, size, time.Since(s))
}
