package show

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sluice-gateway/sluice/admin/fleet"
)

// cell writes what a cell has measured. Targets that nobody has tried are named in one line.
func (p *printer) cell(c fleet.Cell) {
	p.line("\ncell %s: signals of %s", c.Name, count(len(c.Members), "node"))
	for _, m := range c.Members {
		if m.Error != "" {
			p.line("the signals of %s count for nothing: %s", m.Node, m.Error)
		}
	}
	var attempts float64
	for _, t := range c.Targets {
		attempts += t.Attempts
	}
	var rows, idle []string
	for _, t := range c.Targets {
		if len(t.Contributors) == 0 {
			idle = append(idle, t.Models...)
			continue
		}
		rows = append(rows, target(t, attempts)...)
	}
	p.table("TARGET\tCLASS\tLATENCY\t3s\t10s\t60s\tSAMPLES\tAGE\tFAILED\tSHARE\tIN FLIGHT\tSTATE\tMEASURED BY", rows)
	p.idle(idle)
}

// maxIdle keeps a large configuration on one screen.
const maxIdle = 10

func (p *printer) idle(models []string) {
	switch {
	case len(models) == 0:
	case len(models) <= maxIdle:
		p.line("not tried lately: %s", strings.Join(models, ", "))
	default:
		p.line("not tried lately: %s and %d more", strings.Join(models[:maxIdle], ", "), len(models)-maxIdle)
	}
}

// target returns a row for each class; what both have in common stands in the first.
func target(t fleet.Target, attempts float64) []string {
	first := class(strings.Join(t.Models, ","), "ttft", t.TTFT) + "\t" + strings.Join([]string{
		percent(t.Failures), share(t.Attempts, attempts), strconv.Itoa(t.InFlight), health(t), contributors(t),
	}, "\t")
	return []string{first, class("", "total", t.Total) + "\t\t\t\t\t"}
}

func class(name, class string, e fleet.Estimate) string {
	if e.Source == fleet.SourcePrior {
		return strings.Join([]string{name, class, "-", "-", "-", "-", "-", age(e)}, "\t")
	}
	latency := seconds(e.LatencySeconds)
	if e.Source == fleet.SourceBorrowed {
		latency = "~" + latency // the other class's
	}
	return strings.Join([]string{
		name, class, latency, seconds(e.M3Seconds), seconds(e.M10Seconds), seconds(e.M60Seconds), fmt.Sprintf("%.1f", e.Weight), age(e),
	}, "\t")
}

func age(e fleet.Estimate) string {
	if e.AgeSeconds == nil {
		return "-"
	}
	return seconds(*e.AgeSeconds)
}

// health names what keeps requests away from a target, and which nodes say so.
func health(t fleet.Target) string {
	var words []string
	if t.CoolingForSeconds > 0 {
		words = append(words, fmt.Sprintf("COOLING %s by %s", seconds(t.CoolingForSeconds), coolers(t)))
	}
	if t.Failing {
		words = append(words, "FAILING")
	}
	if len(words) == 0 {
		return "in use"
	}
	return strings.Join(words, ", ")
}

func coolers(t fleet.Target) string {
	var nodes []string
	for _, c := range t.Contributors {
		if c.CoolingForSeconds > 0 {
			nodes = append(nodes, short(c.Node))
		}
	}
	return strings.Join(nodes, ",")
}

// maxNamed keeps a row within a wide terminal.
const maxNamed = 3

// contributors names the nodes with the most attempts, and how many each has made.
func contributors(t fleet.Target) string {
	var out []string
	for _, c := range t.Contributors[:min(len(t.Contributors), maxNamed)] {
		out = append(out, fmt.Sprintf("%s:%.1f", short(c.Node), c.Attempts))
	}
	if more := len(t.Contributors) + t.OtherContributors - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, " ")
}

// short cuts a random id down to what tells nodes apart at sight; a name that someone gave stays.
func short(node string) string {
	const random, enough = 32, 8
	if len(node) == random && strings.Trim(node, "0123456789abcdef") == "" {
		return node[:enough]
	}
	return node
}

// seconds shows about three digits.
func seconds(s float64) string {
	switch {
	case s < 1:
		return fmt.Sprintf("%.0fms", 1000*s)
	case s >= 100:
		return fmt.Sprintf("%.0fs", s)
	case s >= 10:
		return fmt.Sprintf("%.1fs", s)
	}
	return fmt.Sprintf("%.2fs", s)
}

func percent(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }

func share(part, whole float64) string {
	if whole == 0 {
		return "-"
	}
	return percent(part / whole)
}
