package report

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// Chart is a plot of lines.
type Chart struct {
	Title, X, Y string
	Lines       []Line
	// Left and Right bound the horizontal axis, Top the vertical one, which begins at zero.
	Left, Right, Top float64
	// Log: the horizontal axis is logarithmic.
	Log bool
	// Parts is how many parts the horizontal axis has.
	Parts int
	// Marks are vertical lines.
	Marks []float64
}

// Line is one line of a chart. Points that are no numbers interrupt it.
type Line struct {
	Name string
	X, Y []float64
}

// Sizes in pixels.
const (
	width, height = 860, 420
	margin        = 60
	legend        = 190
	plotWidth     = width - margin - legend
	plotHeight    = height - 2*margin
)

// colour tells lines apart, for those too who see few colours (Okabe, Ito: Color universal design, 2008).
func colour(i int) string {
	all := [colours]string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"}
	return all[i%colours]
}

const colours = 8

// dashes tells those lines apart that share a colour.
func dashes(i int) string {
	if i < colours {
		return ""
	}
	return fmt.Sprintf(` stroke-dasharray="%d 3"`, 2+5*(i/colours))
}

// WriteSVG writes the chart.
func (c *Chart) WriteSVG(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/><text x="%d" y="30" font-size="15">%s</text>`+"\n", width, height, margin, html.EscapeString(c.Title))
	c.axes(&b)
	for i := range c.Lines {
		c.line(&b, i)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// rows is how many parts the vertical axis has.
const rows = 5

func (c *Chart) axes(b *strings.Builder) {
	for i := range rows + 1 {
		y := c.Top * float64(i) / rows
		fmt.Fprintf(b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/>`, margin, margin+plotWidth, c.py(y), c.py(y))
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%.3g</text>`+"\n", margin-6, c.py(y)+4, y)
	}
	for i := range c.Parts + 1 {
		x := c.at(float64(i) / float64(c.Parts))
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%.3g</text>`+"\n", c.px(x), height-margin+18, x)
	}
	for _, x := range c.Marks {
		fmt.Fprintf(b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#888" stroke-dasharray="4"/>`+"\n", c.px(x), c.px(x), margin, height-margin)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, margin+plotWidth/2, height-margin+38, html.EscapeString(c.X))
	fmt.Fprintf(b, `<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", margin+plotHeight/2, html.EscapeString(c.Y))
}

func (c *Chart) line(b *strings.Builder, i int) {
	l, pen := c.Lines[i], "M"
	fmt.Fprintf(b, `<path fill="none" stroke="%s" stroke-width="1.6"%s d="`, colour(i), dashes(i))
	for j := range l.X {
		if math.IsNaN(l.X[j]) || math.IsNaN(l.Y[j]) || l.X[j] < c.Left || l.X[j] > c.Right {
			pen = "M"
			continue
		}
		fmt.Fprintf(b, "%s%.1f %.1f", pen, c.px(l.X[j]), c.py(min(l.Y[j], c.Top)))
		pen = "L"
	}
	y := margin + 18*i
	fmt.Fprintf(b, `"/><line x1="%d" x2="%d" y1="%d" y2="%d" stroke="%s" stroke-width="3"%s/>`, width-legend+14, width-legend+34, y, y, colour(i), dashes(i))
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`+"\n", width-legend+40, y+4, html.EscapeString(l.Name))
}

// at is the value at that part of the horizontal axis.
func (c *Chart) at(part float64) float64 {
	if c.Log {
		return c.Left * math.Pow(c.Right/c.Left, part)
	}
	return c.Left + (c.Right-c.Left)*part
}

func (c *Chart) px(x float64) float64 {
	part := (x - c.Left) / (c.Right - c.Left)
	if c.Log {
		part = math.Log(x/c.Left) / math.Log(c.Right/c.Left)
	}
	return margin + part*plotWidth
}

func (c *Chart) py(y float64) float64 { return height - margin - y/c.Top*plotHeight }
