// Command icon draws build/appicon.png: five stones on one another.
//
//	go run ./build/icon build/appicon.png
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"

	"golang.org/x/image/vector"
)

const size = 512

// stone is an ellipse, slightly turned, so that the pile looks laid by hand.
type stone struct {
	x, y, rx, ry, turn float64
	shade              color.RGBA
}

var stones = []stone{
	{256, 420, 168, 52, 0.01, color.RGBA{0x4a, 0x5a, 0x60, 0xff}},
	{248, 336, 132, 46, -0.05, color.RGBA{0x5d, 0x6f, 0x75, 0xff}},
	{262, 259, 104, 42, 0.06, color.RGBA{0x71, 0x84, 0x89, 0xff}},
	{250, 190, 76, 35, -0.07, color.RGBA{0x8a, 0x9b, 0x9e, 0xff}},
	{258, 130, 46, 29, 0.10, color.RGBA{0xb4, 0x6a, 0x34, 0xff}},
}

func main() {
	if len(os.Args) != 2 {
		panic("usage: icon FILE")
	}
	if err := draw(os.Args[1]); err != nil {
		panic(err)
	}
}

func draw(path string) error {
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	fill(img, rounded(24, 24, size-24, size-24, 96), color.RGBA{0xf4, 0xf1, 0xe8, 0xff})
	for _, s := range stones {
		fill(img, ellipse(s), s.shade)
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("make the picture: %w", err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	return f.Close()
}

type point struct{ x, y float64 }

func fill(img *image.RGBA, outline []point, c color.Color) {
	r := vector.NewRasterizer(size, size)
	r.MoveTo(float32(outline[0].x), float32(outline[0].y))
	for _, p := range outline[1:] {
		r.LineTo(float32(p.x), float32(p.y))
	}
	r.ClosePath()
	r.Draw(img, img.Bounds(), image.NewUniform(c), image.Point{})
}

func ellipse(s stone) []point {
	var out []point
	for i := range 180 {
		a := 2 * math.Pi * float64(i) / 180
		// A little squarer than an ellipse: stones lie flat.
		cx, cy := math.Copysign(math.Pow(math.Abs(math.Cos(a)), 0.85), math.Cos(a)), math.Copysign(math.Pow(math.Abs(math.Sin(a)), 0.85), math.Sin(a))
		x, y := s.rx*cx, s.ry*cy
		out = append(out, point{s.x + x*math.Cos(s.turn) - y*math.Sin(s.turn), s.y + x*math.Sin(s.turn) + y*math.Cos(s.turn)})
	}
	return out
}

func rounded(x0, y0, x1, y1, r float64) []point {
	var out []point
	for i, c := range []point{{x1 - r, y1 - r}, {x0 + r, y1 - r}, {x0 + r, y0 + r}, {x1 - r, y0 + r}} {
		for k := range 31 {
			a := math.Pi/2*float64(i) + math.Pi/2*float64(k)/30
			out = append(out, point{c.x + r*math.Cos(a), c.y + r*math.Sin(a)})
		}
	}
	return out
}
